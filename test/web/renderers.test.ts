/** What extensions draw for the page, in a real Chromium against the real program: also what hostile ones would like to do. */
import { afterAll, beforeAll, expect } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Page } from "puppeteer-core";

import { needs } from "../support/needs.ts";
import { shareChromium, textOf, until, untilInArtifact, untilText, type Chromium } from "./chromium.ts";
import { launchWeb, type LaunchedWeb } from "./launch-web.ts";

const test = needs("chromium");
const example = join(import.meta.dir, "../../packages/coding-agent/examples/extensions/web-report.ts");

/** Each is sent by `/show <type>`. */
const extension = `
export default function draws(pi) {
	pi.registerCommand("show", {
		handler: (args) => pi.sendMessage({ customType: args, content: "plain text of " + args, display: true, details: { n: 3 } }),
	});
	pi.web.renderer("parts", ({ content, details }) => [
		{ type: "markdown", text: "**drawn** from " + content },
		{ type: "table", head: ["name", "count"], rows: [["<b>apples</b>", String(details.n)]] },
		{ type: "facts", facts: [{ name: "state", value: "green" }] },
		{ type: "html", html: "<p id=p>start</p><script>p.textContent = 'script of the frame';try{parent.document.title='stolen'}catch{p.textContent += ', no page'}</script>", height: 120 },
	]);
	pi.web.renderer("script", () => '<img src=x onerror="document.title=1"><script>document.title="stolen"</script>text beside');
	pi.web.renderer("huge", () => "x".repeat(3_000_000));
	pi.web.renderer("throws", () => { throw new Error("no luck"); });
	pi.web.renderer("wrong", () => ({ type: "component", code: "alert(1)" }));
	pi.web.renderer("never", (_, { signal }) => new Promise(() => signal.addEventListener("abort", () => globalThis.ended = true)));
	pi.web.renderer("nothing", () => undefined);
	pi.web.toolRenderer(["bash"], ({ result, isError }) => isError ? undefined : { type: "facts", facts: [{ name: "output", value: result.content[0].text }] });
}
`;

let tau: LaunchedWeb;
let chromium: Chromium;
let page: Page;

beforeAll(async () => {
	if (Bun.which("chromium") === null) return;
	const run = { toolCall: { name: "bash", arguments: { command: "echo 42" } } };
	tau = await launchWeb({ steps: [{ answer: { blocks: [run] } }, "Counted.", "Reported."] });
	mkdirSync(join(tau.agentDir, "extensions"), { recursive: true });
	writeFileSync(join(tau.agentDir, "extensions/draws.ts"), extension);
	writeFileSync(join(tau.agentDir, "extensions/web-report.ts"), readFileSync(example));
	chromium = await shareChromium();
	page = await chromium.open(await tau.link());
	await page.waitForSelector(".sidebar");
	const { id } = await tau.browser.post<{ id: string }>("/api/sessions", { cwd: tau.project });
	await page.goto(`${tau.origin}/#/s/${id}`);
	await page.waitForSelector("#composer");
});

afterAll(async () => {
	await chromium?.[Symbol.asyncDispose]();
	await tau?.[Symbol.asyncDispose]();
});

async function show(type: string): Promise<void> {
	await page.type("#composer", `/show ${type}`);
	await page.keyboard.press("Enter");
	await untilText(page, type, ".transcript .row-custom:last-child");
}
const last = ".transcript .row-custom:last-child";

test("an extension draws its message: Markdown, a table, facts, and a page in a frame of its own", async () => {
	await show("parts");
	await untilText(page, "drawn from plain text of parts", last);
	await untilText(page, "<b>apples</b>", `${last} table`);
	await untilText(page, "green", `${last} dl`);
	await page.waitForSelector(`${last} iframe`);
	await untilInArtifact(page, 'document.body?.textContent.includes("script of the frame, no page")');
	expect(await page.title()).not.toContain("stolen");
});

test("scripts in what an extension draws do not run in the page", async () => {
	await show("script");
	await untilText(page, "text beside", last);
	expect(await page.title()).not.toMatch(/stolen|^1$/);
	expect(await page.$(`${last} script, ${last} img`)).toBeNull();
});

test.each([
	["huge", "characters long; at most 1048576 are shown"],
	["throws", "draws cannot draw this: no luck"],
	["wrong", "draws cannot draw this: 0.type"],
])(
	"a renderer that fails (%s) is named, above what the page shows without it",
	async (type, reason) => {
		await show(type);
		await untilText(page, reason, last);
		await untilText(page, `plain text of ${type}`, last);
	},
	180_000,
);

test("a renderer that never returns holds nothing up, and is named", async () => {
	await show("never");
	await untilText(page, "plain text of never", last);
	await show("nothing");
	await untilText(page, "plain text of nothing", last);
	await untilText(page, "it did not return within 5 s", ".transcript");
});

test("an extension draws the result of a tool where the user opens the call", async () => {
	await page.type("#composer", "count");
	await page.keyboard.press("Enter");
	await untilText(page, "Counted.", ".transcript");
	await page.evaluate('document.querySelector(".call .line").click()');
	await untilText(page, "42", ".call-body .web-view dd");
	expect(await textOf(page, ".call-body .web-view")).toContain("output");
});

test("the example of the docs draws its report", async () => {
	await page.type("#composer", "/files");
	await page.keyboard.press("Enter");
	await untilText(page, "Files of the project", last);
	await until(page, `!!document.querySelector(${JSON.stringify(`${last} table`)})`);
});

test("no page has reported an error but what its policy has refused", () => {
	expect(chromium.errors.filter((each) => !/Content Security Policy|Blocked/.test(each))).toEqual([]);
});
