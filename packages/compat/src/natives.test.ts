/** The supported functions of omp's native package work as its declarations say. */
import { expect, test } from "bun:test";

import { nativeExports } from "./natives.ts";

test("HTML is converted to Markdown", async () => {
	expect(await nativeExports.htmlToMarkdown("<h1>Title</h1><p>Some <b>bold</b> text</p>")).toMatch(
		/# Title[^]*Some \*\*bold\*\* text/,
	);
});

test("keys are recognized, and anything else is null", () => {
	expect(nativeExports.matchesKey("\u001B", "escape")).toBe(true);
	expect(nativeExports.parseKey("\u0003")).toBe("ctrl+c");
	expect(nativeExports.parseKey("")).toBeNull();
});

test("text is measured and wrapped by columns", () => {
	expect(nativeExports.visibleWidth("\u001B[1m日本\u001B[0m")).toBe(4);
	expect(nativeExports.wrapTextWithAnsi("one two", 4).map((line) => line.trim())).toEqual(["one", "two"]);
});
