/** Files of the project that an answer names, in the page of the real program: pictures are shown, the rest opens beside it. */
import { afterAll, beforeAll, expect } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Page } from "puppeteer-core";

import { needs } from "../support/needs.ts";
import { png } from "../support/read-fixture.ts";
import { shareChromium, textOf, until, untilInArtifact, untilText, type Chromium } from "./chromium.ts";
import { launchWeb, type LaunchedWeb } from "./launch-web.ts";

const test = needs("chromium");
const written = {
	answer: {
		blocks: [{ toolCall: { name: "write", arguments: { path: "page.html", content: "<b>first</b>" } } }],
	},
};
const said = [
	"![The chart](charts/one.png) and ![nothing](charts/none.png) and ![keys](/etc/passwd.png)",
	"See [the middle](src/long.ts:120), [the page](page.html), [passwords](/etc/passwd) and [code](javascript:alert).",
].join("\n\n");

let tau: LaunchedWeb;
let chromium: Chromium;
let page: Page;

beforeAll(async () => {
	if (Bun.which("chromium") === null) return;
	tau = await launchWeb({ steps: [written, said] });
	for (const directory of ["charts", "src"]) mkdirSync(join(tau.project, directory));
	writeFileSync(join(tau.project, "charts/one.png"), await png(40, 30));
	const lines = Array.from({ length: 400 }, (_, at) => `export const line${at + 1} = ${at + 1};`);
	writeFileSync(join(tau.project, "src/long.ts"), lines.join("\n"));
	chromium = await shareChromium();
	page = await chromium.open(await tau.link());
	await page.waitForSelector(".sidebar");
	const { id } = await tau.browser.post<{ id: string }>("/api/sessions", { cwd: tau.project });
	await page.goto(`${tau.origin}/#/s/${id}`);
	await page.waitForSelector("#composer");
	await page.type("#composer", "Draw it");
	await page.keyboard.press("Enter");
	await untilText(page, "See the middle", ".transcript");
}, 60_000);

afterAll(async () => {
	await chromium?.[Symbol.asyncDispose]();
	await tau?.[Symbol.asyncDispose]();
});

const link = (text: string): string =>
	`[...document.querySelectorAll(".markdown .file-link")].find((each) => each.innerText === ${JSON.stringify(text)})`;

test("a picture of the project is in the answer, and large beside it; one that is not there is named", async () => {
	await until(page, 'document.querySelector(".local-picture img")?.naturalWidth === 40');
	await untilText(page, "Image: nothing", ".transcript");
	// Not a file that the session works on.
	await untilText(page, "Image: keys", ".transcript");
	await page.click(".local-picture");
	await until(page, 'document.querySelector(".artifact-picture")?.naturalWidth === 40');
	expect(await textOf(page, ".artifact-title")).toBe("charts/one.png");
}, 60_000);

test("a link to a line of a file shows the file there, in its colors", async () => {
	await page.evaluate(`${link("the middle")}.click()`);
	await until(page, '!!document.querySelector(".artifact-source .hl-keyword")');
	await until(
		page,
		`(() => {
			const [body, mark] = [".panel-body", ".line-mark"].map((each) => document.querySelector(each)?.getBoundingClientRect());
			return mark && mark.top > body.top && mark.bottom < body.bottom;
		})()`,
	);
	const top = `(() => {
		const texts = document.createTreeWalker(document.querySelector(".artifact-source pre"), NodeFilter.SHOW_TEXT);
		const range = document.createRange();
		while (texts.nextNode()) {
			const at = texts.currentNode.data.indexOf("line120");
			if (at === -1) continue;
			range.setStart(texts.currentNode, at);
			range.setEnd(texts.currentNode, at + 7);
			return range.getBoundingClientRect().top - document.querySelector(".line-mark").getBoundingClientRect().top;
		}
	})()`;
	expect(Math.abs(Number(await page.evaluate(top)))).toBeLessThan(10);
}, 60_000);

test("a page that a program has changed is shown as it is now, after what the call has written", async () => {
	writeFileSync(join(tau.project, "page.html"), "<b>second</b>");
	await page.evaluate(`${link("the page")}.click()`);
	await untilInArtifact(page, 'document.body?.textContent === "second"');
	expect(await page.$$eval(".versions option", (options) => options.length)).toBe(2);
}, 60_000);

test("a link to a file elsewhere opens nothing and says why; code in an address is no link", async () => {
	await page.evaluate(`${link("passwords")}.click()`);
	await untilText(page, "/etc/passwd is not in a directory that the session works in.");
	expect(await page.evaluate(`${link("code")} === undefined`)).toBe(true);
}, 60_000);

test("no page has reported an error", () => {
	expect(chromium.errors).toEqual([]);
});
