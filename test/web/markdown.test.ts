/** Markdown that is drawn without HTML looks as if a browser had read the parser's HTML. */
import { afterAll, beforeAll, expect } from "bun:test";
import { join } from "node:path";

import type { Page } from "puppeteer-core";

import { needs } from "../support/needs.ts";
import { shareChromium, until, type Chromium } from "./chromium.ts";

const test = needs("chromium");
const folder = join(import.meta.dir, "../../packages/web/src/page/markdown");
/** Both ways, side by side, as the page would do it. */
const entry = `
	import { Marked } from "marked";
	import { markdownNodes } from ${JSON.stringify(join(folder, "sanitize.ts"))};
	import { tokenNodes } from ${JSON.stringify(join(folder, "token-nodes.ts"))};
	const marked = new Marked({ gfm: true });
	const shown = (nodes) => { const box = document.createElement("div"); box.append(nodes); return box.innerHTML; };
	globalThis.drawn = (text) => { const nodes = tokenNodes(marked.lexer(text), {}); return nodes && shown(nodes); };
	globalThis.parsed = (text) => {
		const box = new DOMParser().parseFromString(marked.parse(text), "text/html").body;
		// Blanks between tags are the printer's; so are titles, classes and how a task's box is written.
		for (const each of box.querySelectorAll("[title], [class]")) { each.removeAttribute("title"); each.removeAttribute("class"); }
		for (const each of box.querySelectorAll("input")) { each.removeAttribute("disabled"); each.setAttribute("type", "checkbox"); }
		return box.innerHTML;
	};
	globalThis.whole = (text) => shown(markdownNodes(text));
`;
let chromium: Chromium;
let page: Page;

beforeAll(async () => {
	if (Bun.which("chromium") === null) return;
	const path = join(folder, "compared.ts");
	const built = await Bun.build({ entrypoints: [path], files: { [path]: entry }, target: "browser" });
	chromium = await shareChromium();
	page = await chromium.open("about:blank");
	await page.addScriptTag({ type: "module", content: (await built.outputs[0]?.text()) ?? "" });
	await until(page, "globalThis.whole !== undefined");
});

afterAll(async () => await chromium?.[Symbol.asyncDispose]());

const call = async (name: string, text: string): Promise<string> =>
	String(await page.evaluate(`${name}(${JSON.stringify(text)})`));
const spare = (html: string): string =>
	html
		.replaceAll(/\s+(?=<)|(?<=>)\s+/g, "")
		.replaceAll(/<input[^>]*>/g, (tag) => (tag.includes("checked") ? "[x]" : "[ ]"));

test("every kind of block and words", async () => {
	const texts = [
		"# One\n\nTwo *three* **four** ~~five~~ `six < 7` eight\\\nnine",
		"> quoted\n> - in a list\n\n---\n",
		"1. one\n2. two\n   - nested\n\n     loose\n",
		"7) seven\n8) eight",
		"- [x] done\n- [ ] open *word*",
		"| a | b |\n| :-- | --: |\n| 1 | `2` |\n| 3 | 4 |",
		"    indented code\n\n```ts\nfenced & <b>\n```",
		'a [link](https://example.com/a?b=1 "title") and https://example.com',
		"a < b, 2 > 1, \\*not\\* it & co",
		"Über 世界 😀 \u200b",
	];
	for (const text of texts) {
		const html = await call("parsed", text);
		expect(spare(await call("drawn", text))).toBe(spare(html).replaceAll(/ class="[^"]*"/g, ""));
	}
});

test("tags and entities are left to the sanitiser", async () => {
	for (const text of ["a <b>bold</b> word", "<details>x</details>", "a<img src=x onerror=alert(1)>b"])
		expect(await call("drawn", text)).toBe("undefined");
	const whole = await call("whole", "a <b>bold</b> <script>alert(1)</script>&copy; &amp;");
	expect(whole.trim()).toBe("<p>a <b>bold</b> © &amp;</p>");
});

test("addresses that are code lead nowhere, and pictures wait", async () => {
	expect(await call("whole", "[x](javascript:alert(1)) [y](data:text/html,z)")).toBe("<p>x y</p>");
	const picture = await call("whole", "![a](https://evil.example/p.png)");
	expect(picture).not.toContain("<img");
	expect(picture).toContain("Load image from evil.example");
});
