/** A page that its user leaves for a while, as phones do all day: it comes back without a reload, with nothing missing. */
import { expect } from "bun:test";

import { type MockSession, user } from "@tau/web/testing";
import type { Page } from "puppeteer-core";

import { needs } from "../support/needs.ts";
import { textOf, until, untilText } from "./chromium.ts";
import { playedPage } from "./played-page.ts";
import { launchWeb } from "./launch-web.ts";

const test = needs("chromium");
const { host, chromium, played, addressOf } = await playedPage({ isWhole: true });

/** A page with a draft, and a mark that a reload would take away. */
async function opened(id: string): Promise<{ session: MockSession; page: Page }> {
	const session = played(id);
	session.message(user("Before"));
	const page = await chromium.open(addressOf(id), { width: 360, height: 720 });
	await untilText(page, "Before");
	await page.type("#composer", "half a thought");
	await page.evaluate("globalThis.isSamePage = true");
	return { session, page };
}

function writeMeanwhile(session: MockSession): void {
	for (let n = 0; n < 5; n++) session.message(user(`while away ${n}`));
}

async function expectAllOf(page: Page): Promise<void> {
	await untilText(page, "while away 4");
	await until(page, "!document.querySelector('.connection')");
	const shown = await textOf(page, ".transcript");
	const texts = [...(shown.match(/while away \d/g) ?? [])];
	expect(texts).toEqual([0, 1, 2, 3, 4].map((n) => `while away ${n}`));
	expect(await page.evaluate("globalThis.isSamePage")).toBe(true);
	expect(await page.evaluate('document.querySelector("#composer").value')).toBe("half a thought");
}

test("a page that was frozen in the background, and lost its connection there, is back as it was", async () => {
	const { session, page } = await opened("frozen");
	const devtools = await page.createCDPSession();
	await devtools.send("Page.setWebLifecycleState", { state: "frozen" });
	host.cut(true);
	writeMeanwhile(session);
	host.cut(false);
	await devtools.send("Page.setWebLifecycleState", { state: "active" });
	await expectAllOf(page);
	// As when it had left: by the cursor, not with everything anew.
	expect(session.joins.at(-1)?.from?.seq).toBeGreaterThan(0);
});

test("regression: a page that its user has left is no client meanwhile, and comes back by the Back button", async () => {
	const { session, page } = await opened("left");
	expect(session.clients).toHaveLength(1);
	await page.goto("about:blank");
	while (session.clients.length > 0) await page.evaluate("new Promise(requestAnimationFrame)");
	writeMeanwhile(session);
	await page.goBack();
	await expectAllOf(page);
	expect(session.clients).toHaveLength(1);
});

test("a page of the real program that was frozen while its server was away and its session continued is back as it was", async () => {
	await using tau = await launchWeb({ steps: ["The first answer.", "Said while the page was away."] });
	const { id } = await tau.browser.post<{ id: string }>("/api/sessions", { cwd: tau.project });
	const page = await chromium.open(await tau.link(), { width: 360, height: 720 });
	await page.waitForSelector(".sidebar");
	await page.goto(`${tau.origin}/#/s/${id}`);
	await page.waitForSelector("#composer");
	await page.type("#composer", "from the phone");
	await page.tap("button.send");
	await untilText(page, "The first answer.", ".transcript");
	await page.type("#composer", "half a thought");
	await page.evaluate("globalThis.isSamePage = true");
	const devtools = await page.createCDPSession();
	await devtools.send("Page.setWebLifecycleState", { state: "frozen" });
	await tau.run(["web", "stop"]);
	const again = await tau.run(["web", "--no-open", "--port", new URL(tau.origin).port]);
	expect(again.code).toBe(0);
	using other = await tau.browser.join(id);
	await other.request("prompt", { message: "from the desk" });
	await other.request("wait_for_idle", {});
	await devtools.send("Page.setWebLifecycleState", { state: "active" });
	await untilText(page, "Said while the page was away.", ".transcript");
	await until(page, "!document.querySelector('.connection')");
	const said = (await textOf(page, ".transcript")).match(
		/from the phone|The first answer\.|from the desk|Said while the page was away\./g,
	);
	expect(said).toEqual([
		"from the phone",
		"The first answer.",
		"from the desk",
		"Said while the page was away.",
	]);
	expect(await page.evaluate("globalThis.isSamePage")).toBe(true);
	expect(await page.evaluate('document.querySelector("#composer").value')).toBe("half a thought");
}, 180_000);

/** Timers of the page run ahead, so that a minute of its attempts passes without one of ours; counts what they have waited. */
const hurried = `{
	const original = globalThis.setTimeout;
	Object.assign(globalThis, { pace: 60, waitedMs: 0 });
	globalThis.setTimeout = (run, ms = 0, ...values) =>
		original((...args) => { globalThis.waitedMs += ms; run(...args); }, ms / globalThis.pace, ...values);
}`;

test("after a minute without a network the page connects by itself, with nothing missing", async () => {
	const { session, page } = await opened("minute");
	await page.evaluate(hurried);
	host.cut(true);
	await untilText(page, "Connecting again");
	await until(page, "globalThis.waitedMs >= 60_000");
	await page.evaluate("globalThis.pace = 1");
	writeMeanwhile(session);
	host.cut(false);
	await expectAllOf(page);
}, 180_000);

test("no page has reported an error", () => {
	const expected = /Failed to load resource|WebSocket connection/;
	expect(chromium.errors.filter((each) => !expected.test(each))).toEqual([]);
});
