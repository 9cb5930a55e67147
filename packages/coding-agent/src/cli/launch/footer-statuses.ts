/** What the footer of a terminal shows that is not about its session: tasks that wait, and what was used today. */
import type { Settings } from "@tau/config/settings";
import { isFleetUsed } from "@tau/server/fleet/location";
import { delay, dirs, log, money, onDispose, plural } from "@tau/utils";

/** After the first screen: neither is worth a slower start. */
const startMs = 1000;
/** How often today's lines are read: a session's own answers should soon be in the sum. */
const todayMs = 5000;
/** How often vendors are asked what is left of a window, which changes slowly. */
const windowMs = 300_000;

export interface FooterParts {
	readonly settings: Settings;
	readonly mode: { status(key: string, text: string | undefined): void };
}

type Showing = FooterParts & { readonly owned: AsyncDisposableStack; readonly signal: AbortSignal };

/** Until it is disposed of. What is not used is not loaded. */
export function showInFooter(parts: FooterParts): Disposable {
	const controller = new AbortController();
	const { signal } = controller;
	const owned = new AsyncDisposableStack();
	const show = async (): Promise<void> => {
		await delay(startMs, signal);
		await Promise.all([showTasks, showUsage].map((each) => each({ ...parts, owned, signal })));
	};
	show().catch((error: unknown) => {
		if (!signal.aborted) log.warn("the footer is not complete", { reason: String(error) });
	});
	return onDispose(() => {
		controller.abort();
		void owned.disposeAsync();
	});
}

/** A fleet that is used for the first time later is seen by the next session. */
async function showTasks({ settings, mode, owned, signal }: Showing): Promise<void> {
	if (!isFleetUsed(settings)) return;
	const [{ storeOf }, { followWaiting }] = await Promise.all([
		import("@tau/server/fleet"),
		import("@tau/server/fleet/waiting"),
	]);
	const store = await storeOf(settings);
	if (signal.aborted) return await store[Symbol.asyncDispose]();
	owned.use(store);
	owned.use(followWaiting(store, (tasks) => mode.status("fleet", waitingText(tasks.length))));
}

/** Nothing is loaded or read while the setting is off. */
async function showUsage({ settings, mode, owned }: Showing): Promise<void> {
	let running: Disposable | undefined;
	const begin = async (): Promise<void> => {
		running?.[Symbol.dispose]();
		running = undefined;
		const wanted = settings.getWithoutProject("usage.footer");
		mode.status("usage", undefined);
		if (wanted === "off") return;
		const text = wanted === "today" ? await todayText() : windowText;
		const show = async (): Promise<void> => mode.status("usage", await text());
		const again = setInterval(() => void show(), wanted === "today" ? todayMs : windowMs);
		again.unref();
		running = onDispose(() => clearInterval(again));
		await show();
	};
	owned.use(settings.onChange((path) => path === "usage.footer" && void begin()));
	owned.defer(() => running?.[Symbol.dispose]());
	await begin();
}

async function todayText(): Promise<() => string> {
	const [{ TodayCosts }, { usageDirectory }] = await Promise.all([
		import("@tau/stats/today"),
		import("@tau/stats/lines"),
	]);
	const costs = new TodayCosts(usageDirectory(dirs().data));
	return () => {
		const { cost, isEstimate } = costs.read(Date.now());
		return `${isEstimate ? "~" : ""}${money(cost)} today`;
	};
}

/** Of each login, the window of which the least is left. Empty if no vendor says. */
async function windowText(): Promise<string> {
	const { windowsLeft } = await import("@tau/server/web/windows-left");
	const byProvider = Map.groupBy(await windowsLeft(), ({ provider }) => provider);
	return [...byProvider.values()]
		.map((windows) => {
			const [first] = windows.toSorted((a, b) => b.usedPercent - a.usedPercent);
			return first ? `${first.name}: ${Math.round(Math.max(0, 100 - first.usedPercent))} % left` : "";
		})
		.join(", ");
}

function waitingText(count: number): string | undefined {
	return count === 0 ? undefined : `${plural(count, "task")} ${count === 1 ? "asks" : "ask"}: /fleet`;
}
