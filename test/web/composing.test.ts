/** The composer in a real Chromium, against the real program: files, images, queues, history, questions. */
import { afterAll, beforeAll, expect } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { Glob } from "bun";
import type { Page } from "puppeteer-core";

import { needs } from "../support/needs.ts";
import { png } from "../support/read-fixture.ts";
import { shareChromium, textOf, until, untilText, type Chromium } from "./chromium.ts";
import { launchWeb, type LaunchedWeb } from "./launch-web.ts";

const test = needs("chromium");
const call = (name: string, args: Record<string, unknown>) => ({
	answer: { blocks: [{ toolCall: { name, arguments: args } }] },
});
const questions = [
	{ question: "Which color?", options: [{ label: "red" }, { label: "blue" }] },
	{ question: "Which sizes?", options: [{ label: "small" }, { label: "large" }], multiple: true },
];

let tau: LaunchedWeb;
let chromium: Chromium;
let page: Page;

beforeAll(async () => {
	if (Bun.which("chromium") === null) return;
	tau = await launchWeb({
		steps: [
			"Seen the file.",
			"Seen both.",
			call("bash", { command: "until [ -e go ]; do sleep 0.02; done" }),
			"Steered.",
			"Followed up.",
			call("ask", { questions }),
			"Blue it is.",
		],
	});
	const models = join(tau.agentDir, "models.yml");
	writeFileSync(models, readFileSync(models, "utf8").replace("[text]", "[text, image]"));
	mkdirSync(join(tau.project, "src"));
	writeFileSync(join(tau.project, "src/parser notes.txt"), "x");
	writeFileSync(join(tau.project, "src/parser.ts"), "x");
	chromium = await shareChromium();
	page = await chromium.open(await tau.link());
	await page.waitForSelector(".sidebar");
	await openSession(tau.project);
});

afterAll(async () => {
	await chromium?.[Symbol.asyncDispose]();
	await tau?.[Symbol.asyncDispose]();
});

async function openSession(cwd: string): Promise<void> {
	const { id } = await tau.browser.post<{ id: string }>("/api/sessions", { cwd });
	await page.goto(`${tau.origin}/#/s/${id}`);
	await page.waitForSelector(`.bar-facts [title=${JSON.stringify(cwd)}]`);
}

const written = async (): Promise<string> =>
	String(await page.evaluate('document.querySelector("#composer").value'));
const untilWritten = (text: string): Promise<void> =>
	until(page, `document.querySelector("#composer").value === ${JSON.stringify(text)}`);
const lastRequest = (): string => JSON.stringify(tau.played.requests.at(-1)?.body);

/** What a browser does when the user pastes or drops files: `[name, type, base64]`. */
async function give(event: "paste" | "drop", files: [name: string, type: string, data: string][]) {
	await page.evaluate(`{
		const transfer = new DataTransfer();
		for (const [name, type, data] of ${JSON.stringify(files)})
			transfer.items.add(new File([Uint8Array.fromBase64(data)], name, { type }));
		const about = { bubbles: true, cancelable: true };
		document.querySelector("#composer").dispatchEvent(${
			event === "paste"
				? 'new ClipboardEvent("paste", { ...about, clipboardData: transfer })'
				: 'new DragEvent("drop", { ...about, dataTransfer: transfer })'
		});
	}`);
}

async function altEnter(): Promise<void> {
	await page.keyboard.down("Alt");
	await page.keyboard.press("Enter");
	await page.keyboard.up("Alt");
}

test("a file is found after @, taken with Tab, and a name with a blank is quoted", async () => {
	await page.type("#composer", "look at @parser");
	await untilText(page, "src/parser.ts", ".suggestions");
	await untilText(page, "src/parser notes.txt", ".suggestions");
	await page.keyboard.type(".ts");
	await until(page, '!document.querySelector(".suggestions").innerText.includes("notes")');
	await page.keyboard.press("Tab");
	await untilWritten("look at @src/parser.ts ");
	await page.keyboard.type("and @notes");
	await untilText(page, "src/parser notes.txt", ".suggestions");
	await page.keyboard.press("Tab");
	await untilWritten('look at @src/parser.ts and @"src/parser notes.txt" ');
	await page.keyboard.press("Enter");
	await untilText(page, "Seen the file.", ".transcript");
});

test("Tab that comes before the list for what is typed takes its first file when it is there", async () => {
	await page.type("#composer", "@note");
	await untilText(page, "src/parser notes.txt", ".suggestions");
	// One turn of the page's loop: the key is handled before the answer for the longer word can come.
	await page.evaluate(`{
		const field = document.querySelector("#composer");
		field.value = "@notes";
		field.setSelectionRange(6, 6);
		field.dispatchEvent(new InputEvent("input", { bubbles: true }));
		queueMicrotask(() => queueMicrotask(() => requestAnimationFrame(() =>
			field.dispatchEvent(new KeyboardEvent("keydown", { key: "Tab", bubbles: true, cancelable: true })))));
	}`);
	await untilWritten('@"src/parser notes.txt" ');
	await page.evaluate('document.querySelector("#composer").select()');
	await page.keyboard.press("Backspace");
});

test("a pasted image and a dropped file of several parts reach the model; the transcript shows their names", async () => {
	const image = (await png(40, 30)).toBase64();
	const rows = new TextEncoder().encode(`apples,3\n${"x".repeat(5 * 2 ** 20)}`).toBase64();
	await give("paste", [["shot.png", "image/png", image]]);
	await give("drop", [["table.csv", "text/csv", rows]]);
	await until(page, 'document.querySelectorAll(".attachment-ready").length === 2');
	await page.type("#composer", "What are these?");
	await page.keyboard.press("Enter");
	await untilText(page, "Seen both.", ".transcript");
	expect(lastRequest()).toContain(image);
	expect(lastRequest()).toContain("apples,3");
	expect(lastRequest()).toMatch(/<file name=\\"[^"]*table\.csv\\">/);
	expect(await textOf(page, ".transcript")).toContain("@table.csv What are these?");
	expect(await textOf(page, ".transcript")).not.toContain("<file");
	expect(await page.evaluate('document.querySelectorAll(".attachment").length')).toBe(0);
});

test("regression: a file that is removed from the prompt is gone from the machine of the session, too", async () => {
	await give("drop", [["draft.csv", "text/csv", btoa("a,b\n1,2\n")]]);
	await page.waitForSelector(".attachment-ready");
	const uploads = new Glob("**/uploads/*/draft.csv");
	const kept = (): string[] => [...uploads.scanSync({ cwd: tau.home, dot: true })];
	expect(kept()).toHaveLength(1);
	await page.click('[aria-label="Remove draft.csv"]');
	await until(page, '!document.querySelector(".attachment")');
	while (kept().length > 0) await page.evaluate("new Promise(requestAnimationFrame)");
});

test("a prompt waits while a file could not be added, and is not sent without it", async () => {
	await give("paste", [["broken.png", "image/png", btoa("no image")]]);
	await page.waitForSelector(".attachment-failed");
	await page.type("#composer", "And this?");
	await page.keyboard.press("Enter");
	await untilText(page, "broken.png could not be added. Remove it to send.", ".toasts");
	expect(await written()).toBe("And this?");
	await page.click('[aria-label="Remove broken.png"]');
	await until(page, '!document.querySelector(".attachment")');
	await page.evaluate('document.querySelector("#composer").select()');
	await page.keyboard.press("Backspace");
});

test("while the model works, Enter steers and Alt+Enter queues; both can be taken back", async () => {
	await page.type("#composer", "begin");
	await page.keyboard.press("Enter");
	await page.waitForSelector(".send.stop");
	await page.type("#composer", "turn left");
	await page.keyboard.press("Enter");
	await untilText(page, "turn left", ".queue");
	await page.type("#composer", "then rest");
	await altEnter();
	await untilText(page, "then rest", ".queue");
	expect((await textOf(page, ".queue")).replaceAll(/\s+/g, " ")).toContain(
		"steer turn left follow-up then rest",
	);
	await page.evaluate('document.querySelector(".queue .link").click()');
	await until(page, '!document.querySelector(".queue")');
	expect(await written()).toBe("turn left\n\nthen rest");
	await page.evaluate('document.querySelector("#composer").select()');
	await page.keyboard.type("go right");
	await page.keyboard.press("Enter");
	await untilText(page, "go right", ".queue");
	await page.type("#composer", "and rest");
	await altEnter();
	await untilText(page, "and rest", ".queue");
	writeFileSync(join(tau.project, "go"), "");
	await untilText(page, "Followed up.", ".transcript");
	const shown = await textOf(page, ".transcript");
	expect(shown.indexOf("go right")).toBeLessThan(shown.indexOf("Steered."));
	expect(shown.indexOf("Steered.")).toBeLessThan(shown.indexOf("and rest"));
	expect(shown).not.toContain("turn left");
});

test("the arrow keys bring back what was sent, and the draft at the end", async () => {
	await page.type("#composer", "a draft");
	await page.keyboard.press("ArrowUp");
	await until(page, 'document.querySelector("#composer").value === "and rest"');
	await page.keyboard.press("ArrowUp");
	await until(page, 'document.querySelector("#composer").value === "go right"');
	await page.keyboard.press("ArrowDown");
	await page.keyboard.press("ArrowDown");
	await until(page, 'document.querySelector("#composer").value === "a draft"');
	await page.evaluate('document.querySelector("#composer").select()');
	await page.keyboard.press("Backspace");
});

test("questions of the model are answered by a choice, several, and words of one's own", async () => {
	await page.type("#composer", "ask me");
	await page.keyboard.press("Enter");
	await untilText(page, "Which sizes?", ".request");
	expect(await page.$eval(".request .primary", (button) => (button as { disabled?: boolean }).disabled)).toBe(
		true,
	);
	await page.click(".question:nth-child(1) .option:nth-of-type(2) input");
	await page.click(".question:nth-child(2) .option:nth-of-type(2) input");
	await page.type(".question:nth-child(2) .own-words", "and huge");
	await page.click(".request .primary");
	await untilText(page, "Blue it is.", ".transcript");
	const asked = lastRequest();
	for (const answer of ["blue", "large", "and huge"]) expect(asked).toContain(answer);
	expect(await page.evaluate('!!document.querySelector(".request")')).toBe(false);
});

test("commands of the terminal's own screen do in the page what they say, and are suggested", async () => {
	const run = async (command: string): Promise<void> => {
		await page.click("#composer");
		await page.keyboard.type(command);
		await untilText(page, command, ".suggestions");
		await page.keyboard.press("Tab");
		await page.keyboard.press("Enter");
	};
	await page.browserContext().setPermission(tau.origin, {
		permission: { name: "clipboard-write" },
		state: "granted",
	});
	await run("/copy");
	await untilText(page, "The last answer is in the clipboard.");
	await run("/help");
	await untilText(page, "In the composer", ".help");
	await page.keyboard.press("Escape");
	await until(page, '!document.querySelector(".help")');
	await run("/resume");
	await until(page, "document.activeElement?.closest('.palette') != null");
	await page.keyboard.press("Escape");
	await run("/theme");
	await untilText(page, "Colors", ".panel");
	await page.keyboard.press("Escape");
	await run("/login");
	await untilText(page, "no key passes through the browser");
	await run("/exit");
	await untilText(page, "What shall we work on?");
});

test("no page has reported an error", () => {
	expect(chromium.errors).toEqual([]);
});
