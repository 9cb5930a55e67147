/** Who is let in, as a user sees it: a link that is pasted, one that was used already, and a browser that is signed out. */
import { afterAll, afterEach, beforeAll, expect } from "bun:test";

import type { Page } from "puppeteer-core";

import { needs } from "../support/needs.ts";
import { shareChromium, until, untilText, type Chromium } from "./chromium.ts";
import { launchWeb, type LaunchedWeb } from "./launch-web.ts";

const test = needs("chromium");
let tau: LaunchedWeb;
let chromium: Chromium;

beforeAll(async () => {
	if (Bun.which("chromium") === null) return;
	tau = await launchWeb({ steps: ["An answer."] });
	chromium = await shareChromium();
});

afterEach(() => chromium?.closePages());

afterAll(async () => {
	await chromium?.[Symbol.asyncDispose]();
	await tau?.[Symbol.asyncDispose]();
});

async function paste(page: Page, link: string): Promise<void> {
	await page.waitForSelector(".line-form input");
	await page.type(".line-form input", link);
	await page.keyboard.press("Enter");
}

test("an installed page, which has no field for addresses, is let in by a link that one pastes; a wrong one is explained", async () => {
	const page = await chromium.open(`${tau.origin}/`, { width: 360, height: 720 });
	await untilText(page, "This browser is not signed in");
	await paste(page, "https://example.com/");
	await untilText(page, "This is no link of tau web");
	await paste(page, `${tau.origin}/#token=${"x".repeat(43)}`);
	await untilText(page, "used already, or is too old");
	await paste(page, `Open this: ${await tau.link()}`);
	// It is loaded again as one that is let in.
	await until(page, 'document.querySelector(".sidebar") !== null');
	expect(page.url()).toBe(`${tau.origin}/#/`);
	await page.reload();
	await until(page, 'document.querySelector(".sidebar") !== null');
});

test("regression: the same link a second time does not lock out a browser that it has let in", async () => {
	const link = await tau.link();
	const page = await chromium.open(link);
	await page.waitForSelector(".sidebar");
	const again = await page.browserContext().newPage();
	await again.goto(link);
	await again.waitForSelector(".sidebar");
	// Another browser is told why it is not let in.
	const other = await chromium.open(link);
	await untilText(other, "This browser is not signed in");
	await untilText(other, "used already, or is too old");
});

test("a browser that signs itself out is let in nowhere any more, in no tab, and keeps nothing", async () => {
	const page = await chromium.open(await tau.link());
	await page.waitForSelector(".sidebar");
	const { id } = await tau.browser.post<{ id: string }>("/api/sessions", { cwd: tau.project });
	await page.goto(`${tau.origin}/#/s/${id}`);
	await page.waitForSelector("#composer");
	const tab = await page.browserContext().newPage();
	await tab.goto(`${tau.origin}/#/s/${id}`);
	await tab.waitForSelector("#composer");
	await page.bringToFront();
	await page.type("#composer", "/settings");
	await page.click("button.send");
	const button =
		'[...document.querySelectorAll(".panel button")].find((each) => each.innerText === "Sign this browser out")';
	await until(page, `!!${button}`);
	await page.evaluate(`${button}.click()`);
	await untilText(page, "This browser is not signed in");
	await tab.bringToFront();
	await untilText(tab, "This browser is not signed in");
	await until(page, '!localStorage.getItem("tau.key")');
	await until(page, '(async () => !(await indexedDB.databases()).some(({ name }) => name === "tau"))()');
	expect((await tau.run(["web", "status"])).out).toContain("Pages: 0.");
	// The session continues, and the browser that the test plays is still let in.
	expect((await tau.browser.api("GET", "/api/sessions")).status).toBe(200);
});

test("no page has reported an error", () => {
	// Those that were refused.
	expect(chromium.errors.filter((each) => !/status of 40[13]|WebSocket connection/.test(each))).toEqual([]);
});
