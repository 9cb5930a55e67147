/** No component draws beyond the edge of the screen, for any content and any width. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";

import { samples, some } from "../../../../test/support/depth.ts";
import { visibleWidth } from "../text.ts";
import { builtinTheme } from "../theme/index.ts";
import { drawn, specimens, type Words } from "./testing/specimens.ts";

const theme = builtinTheme("dark", "truecolor");
const widths = some(
	Array.from({ length: 120 }, (_, at) => at + 1),
	16,
);

/**
 * Parts of labels: wide, combining and joined characters, complete and torn escapes, controls, direction marks,
 * surrogates.
 */
const pieces = [
	"a",
	"word ",
	"  ",
	"\t",
	"\n",
	"\r\n",
	"漢字",
	"ｆ",
	"e\u0301",
	"\u0301\u0301",
	"👩‍👩‍👧‍👦",
	"🇩🇪",
	"❤️",
	"한글",

	"\x1b[31m",
	"\x1b[0m",
	"\x1b[48;5;4m",
	"\x1b[2J",
	"\x1b]8;;http://a.b\x07",
	"\x1b]8;;\x07",
	"\x1b[",
	"\x1b",

	"\x1b]52;c;aGk=\x07",
	"\x1bP1;2q",
	"\x9b5A",
	"\u202e",
	"\u2066",
	"\u200b",
	"\0",
	"\x07",
	"\ud83d",
	"\ufe0f",

	"مرحبا",
	"─┃",
	"x".repeat(200),
];
const hostile = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join(""));
const words = fc.record({ label: hostile, meaning: hostile, text: hostile });

const fixed: Record<string, Words> = {
	nothing: { label: "", meaning: "", text: "" },
	spaces: { label: "   ", meaning: " ", text: "\n\n \n" },
	wide: { label: "漢字仮名交じり文", meaning: "世界の言語", text: "漢字漢字\n漢字漢字漢字" },
	combining: {
		label: "e\u0301".repeat(30),
		meaning: "\u0301".repeat(50),
		text: "Z\u0351\u0343\u0302".repeat(20),
	},
	huge: { label: "long ".repeat(500), meaning: "y".repeat(3_000), text: "many words ".repeat(40) },
	escapes: {
		label: "\x1b[2J\x1b[H\x1b[31mred\x1b]52;c;aGk=\x07",
		meaning: "\x1b]8;;http://evil\x07link\x1b]8;;\x07\x1b[",
		text: "\x1b[41mopen\nstill open\x1b[?1049h",
	},
};

function tooWide(rows: readonly string[], width: number): string[] {
	return rows.filter((row) => visibleWidth(row) > width);
}

describe.each(Object.keys(specimens))("%s", (name) => {
	const make = specimens[name]!;

	test.each(Object.keys(fixed))("fits every width with %s in it", (kind) => {
		const frames = drawn(make, theme, fixed[kind]!, widths);
		for (const [at, rows] of frames.entries()) expect(tooWide(rows, widths[at]!)).toEqual([]);
	});

	test("fits with any content, and no row contains a line break", () => {
		fc.assert(
			fc.property(words, fc.integer({ min: 1, max: 120 }), (content, width) => {
				const [rows = []] = drawn(make, theme, content, [width]);
				expect(tooWide(rows, width)).toEqual([]);
				expect(rows.filter((row) => /[\r\n]/.test(row))).toEqual([]);
			}),
			{ numRuns: samples(60) },
		);
	});

	test("is a function of its state and the width", () => {
		const content = { label: "Name", meaning: "What it means", text: "Some text\nof two lines" };
		const [first, , again] = drawn(make, theme, content, [30, 7, 30]);
		expect(again).toEqual(first!);
	});
});
