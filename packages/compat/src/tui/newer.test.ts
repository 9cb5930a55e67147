/** The newer functions of pi's terminal package work as its declarations say. */
import { expect, test } from "bun:test";

import { getKeybindings, Text, TUI, visibleWidth } from "@tau/tui";

import {
	compositeTuiLine,
	getOsc8LinkAtColumn,
	MouseRegion,
	newerExports,
	parseOsc11BackgroundColor,
	parseTerminalColorSchemeReport,
	stripTerminalSequences,
} from "./newer.ts";
import { ompExports as omp } from "./omp.ts";

test("a mouse region draws its content", () => {
	expect(new MouseRegion(new Text("hi", 0, 0)).render(10)).toEqual(new Text("hi", 0, 0).render(10));
});

test.each([
	["\u001B]11;rgb:ffff/8080/0000\u0007", { r: 255, g: 128, b: 0 }],
	["\u001B]11;rgb:f/8/0\u001B\\", { r: 255, g: 136, b: 0 }],
	["\u001B]10;rgb:ff/80/00\u0007", undefined],
])("the background in %j is %p", (data, color) => {
	expect(parseOsc11BackgroundColor(data)).toEqual(color);
});

test("the cell of a cursor is drawn in reverse video, and takes no more space", () => {
	const cell = newerExports.renderFakeCursor("x");
	expect(cell).toBe("\u001B[7mx\u001B[27m");
	expect(visibleWidth(cell)).toBe(1);
});

test("control characters are replaced, and Apple's terminal is known", () => {
	expect(newerExports.replaceControlCharacters("a\tb\u001B[1mc")).toBe("a b [1mc");
	expect(newerExports.isAppleTerminalSession({ TERM_PROGRAM: "Apple_Terminal" })).toBe(true);
	expect(newerExports.isAppleTerminalSession({})).toBe(false);
	expect(newerExports.setImageTranscoder()).toBeUndefined();
});

test("keybindings are available under their older name", () => {
	expect(newerExports.getEditorKeybindings()).toBe(getKeybindings());
});

test("a terminal's report of its dark mode is parsed", () => {
	expect(["\u001B[?997;1n", "\u001B[?997;2n", "x"].map(parseTerminalColorSchemeReport)).toEqual([
		"dark",
		"light",
		undefined,
	]);
});

test("an overlay covers its own cells of a row and no others", () => {
	expect(stripTerminalSequences(compositeTuiLine("abcdefgh", "XY", 2, 3, 8))).toBe("abXY fgh");
	expect(stripTerminalSequences(compositeTuiLine("a", "XY", 3, 2, 8))).toBe("a  XY");
});

test("the link under a column is found", () => {
	const line = "go \u001B]8;;https://a.example\u0007here\u001B]8;;\u0007 now";
	expect([0, 3, 6, 7, 99].map((column) => getOsc8LinkAtColumn(line, column))).toEqual([
		undefined,
		"https://a.example",
		"https://a.example",
		undefined,
		undefined,
	]);
});

test("rows are filled, centered and cut as omp's functions do it", () => {
	expect(omp.centerLine("ab", 6)).toBe("  ab");
	expect(omp.applyBackgroundToLine("ab", 4, (text) => `<${text}>`)).toBe("<ab  >");
	expect(omp.sliceWithWidth("a漢b", 1, 2)).toEqual({ text: "漢", width: 2 });
	expect(["a", " ", ".", "漢"].map(omp.isPunctuationChar)).toEqual([false, false, true, false]);
});

test("typed text is recognized as text, and key sequences are not", () => {
	expect(["a", "漢字", "\r", "\u001B[A", ""].map(omp.extractPrintableText)).toEqual([
		"a",
		"漢字",
		undefined,
		undefined,
		undefined,
	]);
});

test("the newer screen class is the existing one, and formulas stay unchanged", () => {
	const { TuiMainScreen, renderLatex } = newerExports;
	expect(TuiMainScreen).toBe(TUI);
	expect(renderLatex()).toBeUndefined();
});

test("omp's theme is the one of the screen", () => {
	expect(omp.theme.fg("accent", "x")).toContain("x");
	expect(omp.getCurrentThemeName()).toBe(omp.theme.name);
});
