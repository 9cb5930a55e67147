/** What the footer of a terminal shows that is not about its session: tasks that wait, and what was used today. */
import type { Settings } from "@tau/config/settings";
import { isFleetUsed } from "@tau/server/fleet/location";
import { delay, log, onDispose, plural } from "@tau/utils";

/** After the first screen: neither is worth a slower start. */
const startMs = 1000;

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
		await showTasks({ ...parts, owned, signal });
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

function waitingText(count: number): string | undefined {
	return count === 0 ? undefined : `${plural(count, "task")} ${count === 1 ? "asks" : "ask"}: /fleet`;
}
