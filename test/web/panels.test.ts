/** The list and the panels in a real Chromium, against the real program; and what the server says of the page's files. */
import { afterAll, beforeAll, expect } from "bun:test";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";

import type { Page } from "puppeteer-core";

import { needs } from "../support/needs.ts";
import { shareChromium, textOf, until, untilText, type Chromium } from "./chromium.ts";
import { launchWeb, type LaunchedWeb } from "./launch-web.ts";

const test = needs("chromium", "git");
const call = (name: string, args: Record<string, unknown>) => ({
	answer: { blocks: [{ toolCall: { name, arguments: args } }] },
});
const tasks = [{ agent: "explore", name: "Scout", assignment: "find the gate" }];

let tau: LaunchedWeb;
let chromium: Chromium;
let page: Page;
let id: string;

beforeAll(async () => {
	if (Bun.which("chromium") === null) return;
	tau = await launchWeb({
		steps: [
			call("write", { path: "made.txt", content: "one\ntwo\n" }),
			"Written.",
			call("task", { tasks }),
			"The gate is in the north.",
			"Found.",
		],
	});
	for (const args of [
		["init", "-q"],
		["-c", "user.name=T", "-c", "user.email=t@e", "commit", "-q", "--allow-empty", "-m", "Start"],
	])
		Bun.spawnSync(["git", ...args], { cwd: tau.project });
	chromium = await shareChromium();
	page = await chromium.open(await tau.link());
	await page.waitForSelector(".sidebar");
	({ id } = await tau.browser.post<{ id: string }>("/api/sessions", { cwd: tau.project }));
	await page.goto(`${tau.origin}/#/s/${id}`);
	await page.waitForSelector("#composer");
});

afterAll(async () => {
	await chromium?.[Symbol.asyncDispose]();
	await tau?.[Symbol.asyncDispose]();
});

const valueOf = (field: object): string | undefined => (field as { value?: string }).value;

async function send(text: string): Promise<void> {
	await page.type("#composer", text);
	await page.keyboard.press("Enter");
}

/** Presses the button with exactly this text. */
async function press(label: string, within = "body"): Promise<void> {
	const found = `[...document.querySelectorAll(${JSON.stringify(`${within} button`)})].find((each) => each.innerText.trim() === ${JSON.stringify(label)})`;
	await until(page, `!!${found}`);
	await page.evaluate(`${found}.click()`);
}

async function answerLine(text: string): Promise<void> {
	await until(page, 'document.activeElement.matches(".line-dialog input")');
	await page.keyboard.type(text);
	await page.keyboard.press("Enter");
	await until(page, '!document.querySelector(".line-dialog")');
}

test("the changes panel lists what the session has written, with its lines", async () => {
	await send("/trust yes");
	await untilText(page, "is trusted.", ".transcript");
	await send("write it");
	await untilText(page, "Written.", ".transcript");
	await send("/diff");
	await untilText(page, "made.txt", ".panel");
	await page.click(".panel summary");
	await untilText(page, "two", ".panel .file-preview");
	await page.keyboard.press("Escape");
});

test("an agent of the model is in the overview, with its conversation", async () => {
	await send("delegate");
	await untilText(page, "Found.", ".transcript");
	await send("/agents");
	await untilText(page, "Scout", ".panel .agents");
	await page.click(".agent .line");
	await untilText(page, "The gate is in the north.", ".child-transcript");
	expect(await textOf(page, ".child-transcript")).toContain("find the gate");
	await page.keyboard.press("Escape");
});

test("the settings panel finds a setting, shows its value and changes it for the session", async () => {
	await send("/settings");
	await page.waitForSelector(".panel [aria-label='Search settings']");
	await page.type(".panel [aria-label='Search settings']", "steeringMode");
	const field = ".panel .section:last-child .settings li:only-child select";
	await page.waitForSelector(field);
	expect(await page.$eval(field, valueOf)).toBe("one-at-a-time");
	await page.select(field, "all");
	await until(page, `document.querySelector(${JSON.stringify(field)}).value === "all"`);
	await page.keyboard.press("Escape");
	await until(page, '!document.querySelector(".panel")');
	await send("/settings get steeringMode");
	await untilText(page, "steeringMode: all", ".transcript");
});

test("a dialog of a command is answered in the page, also by a key in the moment in which it appears", async () => {
	// A user's key may be in the page before its next frame; the test's own would come too late.
	await page.evaluate(`new MutationObserver((_, observer) => {
		const first = document.querySelector(".request .choice");
		if (!first) return;
		observer.disconnect();
		queueMicrotask(() => first.dispatchEvent(new KeyboardEvent("keydown", { key: "1", bubbles: true })));
	}).observe(document.body, { childList: true, subtree: true })`);
	await page.click(".bar-tools [class*=chip-mode]");
	await untilText(page, "plan", ".bar-tools [class*=chip-mode]");
	await until(page, '!document.querySelector(".request")');
});

test("a session is renamed in its bar and in the list, and an entry of the tree gets a label", async () => {
	await page.click(".title-button");
	await answerLine("Gates");
	await untilText(page, "Gates", ".title-button");
	await untilText(page, "Gates", ".sessions");
	await page.click(".session-more");
	await press("Rename", ".menu");
	await until(page, 'document.activeElement.matches(".line-dialog input")');
	expect(await page.$eval(".line-dialog input", valueOf)).toBe("Gates");
	await page.keyboard.press("Escape");
	await until(page, '!document.querySelector(".line-dialog")');
	await page.click(".session-more");
	await press("Rename", ".menu");
	await answerLine("North gates");
	await untilText(page, "North gates", ".sessions");
	await untilText(page, "North gates", ".title-button");
	await send("/tree");
	await press("Label", ".panel");
	await answerLine("start");
	await untilText(page, "start", ".tree .tag");
	await page.keyboard.press("Escape");
});

test("the list forks a session and goes there; one that has ended goes to the trash", async () => {
	await page.click(".session-more");
	await press("Fork", ".menu");
	await until(page, `location.hash.startsWith("#/s/") && location.hash !== "#/s/${id}"`);
	await untilText(page, "Found.", ".transcript");
	await until(page, 'document.querySelectorAll(".session").length === 2');
	const forked = String(await page.evaluate("location.hash"));
	const menu = `.session:has([href="${forked}"]) .session-more`;
	await page.click(menu);
	await press("End its process", ".menu");
	await page.waitForSelector(`.session-closed [href="${forked}"]`);
	await page.click(menu);
	await press("Move to the trash", ".menu");
	await until(page, `!document.querySelector('.session [href="${forked}"]')`);
	expect(await textOf(page, ".sessions")).toContain("North gates");
});

test("a rewind shows what it would change, and brings back the file, the conversation and the prompt", async () => {
	await page.goto(`${tau.origin}/#/s/${id}`);
	await untilText(page, "Found.", ".transcript");
	const file = join(tau.project, "made.txt");
	expect(existsSync(file)).toBe(true);
	await send("/rewind");
	await untilText(page, "write it", ".panel .points");
	await untilText(page, "1 file differs", ".panel .points");
	await page.evaluate(
		'[...document.querySelectorAll(".points button")].find((each) => each.innerText.includes("write it")).click()',
	);
	await untilText(page, "made.txt", ".panel .file-preview");
	await page.click(".panel .file-preview summary");
	await untilText(page, "two", ".panel .file-preview");
	await press("Both conversation and files", ".panel");
	await untilText(page, "Restored 1 file.", ".toasts");
	expect(existsSync(file)).toBe(false);
	await until(page, 'document.querySelector("#composer").value === "write it"');
	await until(page, '!document.querySelector(".transcript").innerText.includes("Found.")');
});

test("a session that is archived leaves the list, and is brought back from the archive", async () => {
	const mine = `.session [href="#/s/${id}"]`;
	await page.click(`.session:has([href="#/s/${id}"]) .session-more`);
	await press("Archive", ".menu");
	await until(page, `!document.querySelector('${mine}')`);
	await press("Archived", ".sidebar-foot");
	await page.waitForSelector(mine);
	await page.click(`.session:has([href="#/s/${id}"]) .session-more`);
	await press("Bring back", ".menu");
	await press("Archived", ".sidebar-foot");
	await page.waitForSelector(mine);
});

test("a session is started in a directory that has none yet; one that does not exist is named", async () => {
	mkdirSync(join(tau.home, "fresh"));
	await page.goto(`${tau.origin}/#/`);
	await press("In another directory…", ".home");
	await answerLine("~/nowhere");
	await untilText(page, "~/nowhere is not a directory.", ".toasts");
	await press("In another directory…", ".home");
	await answerLine("~/fresh");
	await untilText(page, `A new session in ${join(tau.home, "fresh")}`);
});

test("the worker, the manifest and the page have the headers that browsers ask for", async () => {
	const about = async (path: string): Promise<(string | null)[]> => {
		const { status, headers } = await fetch(`${tau.origin}${path}`, { headers: tau.browser.headers });
		return [String(status), headers.get("content-type"), headers.get("cache-control")];
	};
	expect(await about("/sw.js")).toEqual(["200", "text/javascript; charset=utf-8", "no-cache"]);
	expect(await about("/manifest.webmanifest")).toEqual(["200", "application/manifest+json", "no-cache"]);
	expect(await about("/")).toEqual(["200", "text/html; charset=utf-8", "no-cache"]);
	const policy = (await fetch(`${tau.origin}/`)).headers.get("content-security-policy");
	for (const rule of ["default-src 'none'", "script-src 'self'", "require-trusted-types-for 'script'"])
		expect(policy?.split("; ")).toContain(rule);
	await until(page, "navigator.serviceWorker.controller !== null");
	// What keeps the browser from installing the page, as an application of a phone is.
	const devtools = await page.createCDPSession();
	const { installabilityErrors } = await devtools.send("Page.getInstallabilityErrors");
	// A page of the tests has a profile that nothing is stored in.
	expect(
		installabilityErrors.map(({ errorId }) => errorId).filter((errorId) => errorId !== "in-incognito"),
	).toEqual([]);
	const { url } = await devtools.send("Page.getAppManifest");
	expect(url).toBe(`${tau.origin}/manifest.webmanifest`);
	for (const path of ["/icon.png", "/icon.svg"]) expect((await about(path))[0]).toBe("200");
});

test("no page has reported an error", () => {
	// The directory that does not exist.
	const expected = /status of 400/;
	expect(chromium.errors.filter((each) => !expected.test(each))).toEqual([]);
});
