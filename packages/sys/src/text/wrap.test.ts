import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { samples } from "../../../../test/support/depth.ts";
import { anyText } from "./fixtures/any-text.ts";
import { expandTabs, graphemes, stripAnsi, visibleWidth, wrapTextWithAnsi } from "./index.ts";

const anyLines = fc.array(anyText, { maxLength: 4 }).map((lines) => lines.join("\n"));
const anyWidth = fc.integer({ min: 1, max: 24 });
const runs = { numRuns: samples(2000) };

/**
 * The text that a reader would miss: everything but white space, marks on white space, and characters without cells.
 */
function ink(text: string): string {
	const pieces = Array.from(graphemes(expandTabs(stripAnsi(text))));
	const visible = pieces.filter((piece) => piece.cells > 0 && !/^\s/.test(piece.text));
	return visible.map((piece) => piece.text.replace(/[\s\ufe0f\p{Cf}]/gu, "")).join("");
}

describe("for every text and width", () => {
	test("every row fits unless a single character is wider", () => {
		fc.assert(
			fc.property(anyLines, anyWidth, (text, width) => {
				for (const row of wrapTextWithAnsi(text, width)) {
					const visible = [...graphemes(stripAnsi(row))].filter(({ cells }) => cells > 0);
					// Sized text is one piece, however many characters it carries.
					const isSized = row.includes("\x1b]66;");
					if (visibleWidth(row) > width && !isSized) expect(visible).toHaveLength(1);
				}
			}),
			runs,
		);
	});

	test("no visible text is lost or moved", () => {
		fc.assert(
			fc.property(anyLines, anyWidth, (text, width) => {
				expect(ink(wrapTextWithAnsi(text, width).join("\n"))).toBe(ink(text));
			}),
			runs,
		);
	});

	test("a line that fits is one row, and every line feed starts another", () => {
		fc.assert(
			fc.property(fc.array(anyText, { minLength: 1, maxLength: 4 }), (parts) => {
				const lines = parts.map((part) => part.replaceAll(/[\r\n]/g, ""));
				const text = lines.join("\n");
				const width = Math.max(1, ...lines.map((line) => visibleWidth(line)));
				expect(wrapTextWithAnsi(text, width).length).toBe(lines.length);
			}),
			runs,
		);
	});

	test("each row is self-contained: it closes what it opens", () => {
		fc.assert(
			fc.property(anyLines, anyWidth, (text, width) => {
				for (const row of wrapTextWithAnsi(text, width)) {
					// A letter after the row would get the styles that the row left open.
					const [again = ""] = wrapTextWithAnsi(`${row}!`, 1000);
					expect(again.endsWith("!")).toBe(true);
				}
			}),
			runs,
		);
	});
});

test("words break in the same places whether each letter has a style of its own or none has", () => {
	const word = fc.constantFrom("a", "some", "words", "unbreakable-long-word", "漢字", "e\u0301", "—");
	const text = fc.array(word, { maxLength: 12 }).map((words) => words.join(" "));
	fc.assert(
		fc.property(text, anyWidth, (plain, width) => {
			const letters = Array.from(graphemes(plain), ({ text: letter }) => letter);
			const styled = letters.map((letter, at) => `\x1b[${30 + (at % 8)}m${letter}\x1b[39m`).join("");
			const rows = wrapTextWithAnsi(styled, width).map((row) => stripAnsi(row));
			expect(rows).toEqual(wrapTextWithAnsi(plain, width));
		}),
		runs,
	);
});

test("a row that fits is written the same alone as above another row, where it is read piece by piece", () => {
	const style = fc.constantFrom("1", "22", "38;5;9", "39", "4", "24", "48;2;1;2;3", "49", "0", "", "1;31");
	const part = fc.oneof(
		style.map((parameters) => `\x1b[${parameters}m`),
		fc.constantFrom("some", " ", "words", "—", "│", "• "),
		fc.constantFrom(
			"\x1b]8;;http://a.b\x1b\\",
			"\x1b]8;id=1;http://a.b\x07",
			"\x1b]8;;\x07",
			"\x1b]8;;\x1b\\",
		),
	);
	const text = fc.array(part, { maxLength: 12 }).map((parts) => parts.join(""));
	fc.assert(
		fc.property(text, (row) => {
			const [alone] = wrapTextWithAnsi(row, 100);
			const [above] = wrapTextWithAnsi(`${row}\x1b[m\nx`, 100);
			expect(alone).toBe(above);
		}),
		runs,
	);
});

describe("words", () => {
	test.each([
		["breaks at spaces, which are gone", "foo bar baz", 7, ["foo bar", "baz"]],
		["a run of spaces is one break", "foo     bar", 5, ["foo", "bar"]],
		["spaces inside a row stay", "a  b", 9, ["a  b"]],
		["indentation stays", "    if (x) return", 12, ["    if (x)", "return"]],
		["indentation is dropped for a word that needs the row", "    indented", 8, ["indented"]],
		["a long word after indentation starts there", "  abcdefghijkl", 6, ["  abcd", "efghij", "kl"]],
		["a long word starts its own row", "see abcdefgh", 6, ["see", "abcdef", "gh"]],
		["empty lines stay", "a\n\nb\n", 5, ["a", "", "b", ""]],
		["CR LF ends a line too", "a\r\nb", 5, ["a", "b"]],
		["an empty text is one empty row", "", 5, [""]],
		["spaces that do not fit are gone", "abc      ", 5, ["abc  "]],
		["no-break space keeps words together", "ab cd\u00a0ef", 6, ["ab", "cd\u00a0ef"]],
		["a zero-width space is a break", "abcd\u200befgh", 6, ["abcd\u200b", "efgh"]],
		["wide characters break between any two", "漢字漢字", 5, ["漢字", "漢字"]],
		["closing marks do not start a row", "漢字漢。字", 6, ["漢字", "漢。字"]],
		["opening brackets do not end a row", "漢「字」", 6, ["漢", "「字」"]],
		["a comma stays with its emoji", "ab 🎉, cd", 5, ["ab", "🎉,", "cd"]],
		["a width below one is one", "ab", 0, ["a", "b"]],
		["a character wider than the row has its own", "a漢b", 1, ["a", "漢", "b"]],
	])("%s", (_name, text, width, rows) => {
		expect(wrapTextWithAnsi(text, width)).toEqual(rows);
	});
});

describe("styles", () => {
	test("a style is closed at the end of a row and opened again in the next", () => {
		expect(wrapTextWithAnsi("\x1b[1;31mfoo bar\x1b[0m baz", 4)).toEqual([
			"\x1b[31;1mfoo\x1b[39;22m",
			"\x1b[31;1mbar\x1b[39;22m",
			"baz",
		]);
	});

	test("a style lasts over line feeds and empty lines", () => {
		const rows = wrapTextWithAnsi("\x1b[31ma\n\nb\x1b[39m", 4);
		expect(rows).toEqual(["\x1b[31ma\x1b[39m", "", "\x1b[31mb\x1b[39m"]);
	});

	test("a link is complete in every row", () => {
		const open = "\x1b]8;id=1;http://a.b\x07";
		const close = "\x1b]8;;\x1b\\";
		const rows = wrapTextWithAnsi(`${open}foo bar${close}`, 4);
		expect(rows).toEqual([`${open}foo${close}`, `${open}bar${close}`]);
	});

	test("a style that changes in the spaces of a break is not lost", () => {
		expect(wrapTextWithAnsi("foo \x1b[32m bar", 4)).toEqual(["foo", "\x1b[32mbar\x1b[39m"]);
	});

	test("a cursor marker in the spaces of a break is not lost", () => {
		expect(wrapTextWithAnsi("foo \x1b_pi:c\x07bar", 4)).toEqual(["foo", "\x1b_pi:c\x07bar"]);
		expect(wrapTextWithAnsi("foo\x1b_pi:c\x07 bar", 4)).toEqual(["foo\x1b_pi:c\x07", "bar"]);
	});
});
