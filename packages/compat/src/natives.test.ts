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

test("kitty's sequences are parsed and matched without the locks", () => {
	const { parseKittySequence, matchesKittySequence, KeyEventType } = nativeExports;
	expect(parseKittySequence("\u001B[97;5u")).toEqual({ codepoint: 97, modifier: 4 });
	expect(parseKittySequence("\u001B[97:65:113;66:3u")).toEqual({
		codepoint: 97,
		shiftedKey: 65,
		baseLayoutKey: 113,
		modifier: 1,
		eventType: KeyEventType.Release,
	});
	expect(parseKittySequence("\u001B[1;3A")).toEqual({ codepoint: -1, modifier: 2 });
	expect(parseKittySequence("\u001B[3;2~")).toEqual({ codepoint: -10, modifier: 1 });
	for (const other of ["a", "\u001B[A", "\u001B[99~", "\u001B[?62c", ""])
		expect(parseKittySequence(other)).toBeNull();
	expect(matchesKittySequence("\u001B[99;69u", 99, 4)).toBe(true);
	expect(matchesKittySequence("\u001B[99;5u", 99, 0)).toBe(false);
});

test("older sequences are matched by the name of the key, and modified ones are not among them", () => {
	const { matchesLegacySequence } = nativeExports;
	expect(matchesLegacySequence("\u001B[A", "up")).toBe(true);
	expect(matchesLegacySequence("\u001BOA", "up")).toBe(true);
	expect(matchesLegacySequence("\u001B[5~", "pageUp")).toBe(true);
	expect(matchesLegacySequence("\u001B[1;5A", "up")).toBe(false);
	expect(matchesLegacySequence("\u001B[97u", "a")).toBe(false);
	expect(matchesLegacySequence("\u001B[A", "down")).toBe(false);
});

test("text is searched by lines, or across them", () => {
	const { hasMatch } = nativeExports;
	expect(hasMatch("one\ntwo", "^two$")).toBe(true);
	expect(hasMatch("one\nTWO", "two")).toBe(false);
	expect(hasMatch("one\nTWO", "two", { ignoreCase: true })).toBe(true);
	expect(hasMatch(Buffer.from("one\nTWO"), "two", true)).toBe(true);
	expect(hasMatch("one\ntwo", "e\\nt")).toBe(false);
	expect(hasMatch("one\ntwo", "e\\nt", false, true)).toBe(true);
});

test("text is cut by columns, with the width of what is left", () => {
	const { sliceWithWidth, truncateToWidth, Ellipsis } = nativeExports;
	expect(sliceWithWidth("a日本b", 1, 4)).toEqual({ text: "日本", width: 4 });
	expect(truncateToWidth("a long line", 7, Ellipsis.Unicode)).toBe("a long…");
	expect(truncateToWidth("a long line", 7, Ellipsis.Omit)).toBe("a long ");
	expect(truncateToWidth("ab", 4, Ellipsis.Ascii, true)).toBe("ab  ");
});
