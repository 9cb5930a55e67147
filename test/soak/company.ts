/** A terminal in company: two more clients, a browser and a guest follow the same session, and the browser writes. */
import { join } from "node:path";

import { startRelay } from "@tau/relay";

import { attach } from "../attach/local.ts";
import { OpenTau } from "../interactive/driver.ts";
import { guest, linkOn } from "../rooms/room.ts";
import { root, type Launched } from "../support/launch.ts";
import { launchChromium } from "../web/chromium.ts";
import { PlayedBrowser, untilView } from "../web/launch-web.ts";
import { within, type Driver } from "./soak.ts";

/** What the program may hold at most, in MB: a long day beside an editor and a browser. */
export const mostMemory = 150;

export async function openCompany(tau: Launched, temporary: string): Promise<Driver> {
	const owned = new AsyncDisposableStack();
	try {
		const env = {
			TAU_COLLECT_MB: "",
			TMPDIR: temporary,
			PATH: `${join(root, "node_modules/.bin")}:${tau.env.PATH}`,
		};
		const relay = owned.use(await startRelay({ bind: "127.0.0.1:0" }));
		const host = owned.use(
			new OpenTau(tau, { home: tau, args: ["--auto-approve"], env, cols: 140, rows: 40 }),
		);
		await host.until("played-1");
		host.type(`/collab ${relay.url.replace("http", "ws")}\r`);
		await host.until("tau join");
		owned.use(await guest(linkOn(host), { name: "Ann" }));
		await host.until("Ann joined the collab session");
		owned.use(attach(tau));
		owned.use(attach(tau));
		return await driverOf(tau, host, owned);
	} catch (error) {
		await owned.disposeAsync();
		throw error;
	}
}

/** Prompts come from the page's side of the protocol; a real page shows the session, too. */
async function driverOf(tau: Launched, host: OpenTau, owned: AsyncDisposableStack): Promise<Driver> {
	owned.defer(async () => void (await tau.run(["daemon", "stop"])));
	const link = async (...args: string[]): Promise<string> => {
		const { out } = await tau.run(["web", "--no-open", "--json", ...args]);
		return (JSON.parse(out) as { link: string }).link;
	};
	const browser = await PlayedBrowser.open(await link("--port", "0"));
	const { out } = await tau.run(["ps", "--json"]);
	const { sessionId } = JSON.parse(out.split("\n")[0] ?? "") as { sessionId: string };
	const session = owned.use(await browser.join(sessionId));
	if (Bun.which("chromium")) {
		const chromium = owned.use(await launchChromium());
		const page = await chromium.open(await link());
		await page.waitForSelector(".sidebar");
		await page.goto(`${browser.origin}/#/s/${sessionId}`);
		await page.waitForSelector("#composer");
	}
	const isIdle = (): boolean => session.view.facts.phase === "idle";
	return {
		pid: host.pid,
		request: async ({ type, ...fields }) => {
			// The rows of the soak are commands of the protocol.
			const answer: unknown = await within(session.request(type as "get_state", fields as never), type);
			return answer as { phase?: string } | undefined;
		},
		nextEnd: async () => {
			let hasEnded = false;
			using _ = session.subscribe(({ type }) => (hasEnded ||= type === "agent_end"));
			await within(
				untilView(session, () => hasEnded && isIdle()),
				"the end of a turn",
			);
		},
		[Symbol.asyncDispose]: () => owned.disposeAsync(),
	};
}
