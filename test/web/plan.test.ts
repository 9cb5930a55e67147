/** A plan in the page of the real program: read, sent back, approved by touch, and found again. */
import { afterAll, beforeAll, expect } from "bun:test";

import { needs } from "../support/needs.ts";
import { shareChromium, textOf, until, untilText, type Chromium } from "./chromium.ts";
import { launchWeb } from "./launch-web.ts";

const test = needs("chromium");
let chromium: Chromium;
beforeAll(async () => {
	if (Bun.which("chromium") !== null) chromium = await shareChromium();
});
afterAll(async () => {
	await chromium?.[Symbol.asyncDispose]();
});

const plan = "# Stream the *importer*\n\nIt takes **1.4 GB**.\n\n<img src=x onerror=globalThis.hacked=1>";
const submitted = (steps: string[]): object => ({
	answer: { blocks: [{ toolCall: { name: "submit_plan", arguments: { plan, steps } } }] },
});
const option = (label: string): string =>
	`[...document.querySelectorAll(".request .option")].find((each) => each.innerText.trim() === "${label}")`;

test("a plan is read as Markdown, sent back with words, approved in two touches, and kept in the overview", async () => {
	await using tau = await launchWeb({
		steps: [submitted(["measure"]), submitted(["measure", "read rows"]), "Working on it."],
	});
	const page = await chromium.open(await tau.link(), { width: 360, height: 720 });
	await page.waitForSelector(".sidebar");
	const { id } = await tau.browser.post<{ id: string }>("/api/sessions", { cwd: tau.project });
	await page.goto(`${tau.origin}/#/s/${id}`);
	await page.waitForSelector("#composer");
	await page.type("#composer", "/plan stream it");
	await page.tap("button.send");
	await untilText(page, "Start implementing this plan?", ".request");
	expect(await page.evaluate('document.querySelector(".request h1")?.innerText')).toBe("Stream the importer");
	await page.type('.request [aria-label="In your own words"]', "Test it too.");
	await page.tap(".request .primary");

	// The second plan: an answer and its button, whatever the length of the plan.
	await untilText(page, "Test it too.", ".transcript");
	await until(page, `!!${option("Approve")} && !document.querySelector(".request .option input:checked")`);
	await page.evaluate(`${option("Approve")}.click()`);
	await page.tap(".request .primary");
	await untilText(page, "Working on it.", ".transcript");
	const calls = (await page.evaluate(
		'[...document.querySelectorAll(".call")].map((each) => each.innerText)',
	)) as string[];
	expect(calls[0]).toContain("Test it too.");
	expect(calls[1]).toMatch(/Stream the importer\s+approved[\s\S]*It takes 1\.4 GB\.[\s\S]*read rows/);
	expect(await page.evaluate("globalThis.hacked")).toBeUndefined();

	await page.tap('[aria-label="Overview"]');
	await untilText(page, "Stream the importer", ".panel details.plan summary");
	await page.tap(".panel details.plan summary");
	await untilText(page, "It takes 1.4 GB.", ".panel");
	expect(await textOf(page, ".panel .todos")).toContain("read rows");
	expect(chromium.errors).toEqual([]);
});
