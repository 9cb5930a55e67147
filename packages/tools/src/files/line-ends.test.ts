/** Whatever changes in a text, every unchanged line keeps its own line ending. */
import { describe, expect, test } from "bun:test";

import * as fc from "fast-check";

import { lineEndOf, spliced, splicedAsWritten, unify } from "./line-ends.ts";
import { LineText } from "./line-text.ts";

const piece = fc.constantFrom("a", "bc", "\n", "\r\n", "\r", "é", "👍");
const text = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(""));

describe("line endings", () => {
	test("are all line feeds in the unified text, and are restored where nothing changes", () => {
		fc.assert(
			fc.property(text, (original) => {
				const unified = unify(original);
				const lone = original.includes("\n") ? "\r\n" : "\r";
				expect(unified.text).toBe(original.replaceAll(lone, "\n"));
				expect(splicedAsWritten(unified, [])).toBe(original);
			}),
		);
	});

	test("property: outside of a change they stay, and inside the result is the requested text", () => {
		const ended = text.map((original) => original.replace(/\r(?!\n)/g, ""));
		const to = fc.constantFrom("", "x", "x\ny", "\n", "x\n");
		fc.assert(
			fc.property(ended, fc.nat(), fc.nat(), to, (original, one, two, wanted) => {
				const unified = unify(original);
				const length = unified.text.length + 1;
				const start = Math.min(one % length, two % length);
				const end = Math.max(one % length, two % length);
				const made = splicedAsWritten(unified, [{ start, end, text: wanted }]);
				expect(unify(made).text).toBe(spliced(unified.text, [{ start, end, text: wanted }]));
				expect(made.startsWith(prefixOf(original, start))).toBe(true);
				expect(made.endsWith(original.slice(prefixOf(original, end).length))).toBe(true);
			}),
		);
	});

	/** The start of a text that has this length when its line endings are unified. */
	function prefixOf(original: string, length: number): string {
		let at = 0;
		for (let unified = 0; unified < length; unified++) at += original.startsWith("\r\n", at) ? 2 : 1;
		return original.slice(0, at);
	}

	const cases: [what: string, original: string, from: string, to: string, expected: string][] = [
		["Windows line ends go into new lines", "a\r\nb\r\n", "b", "x\ny", "a\r\nx\r\ny\r\n"],
		["a mixed file: like the line that is replaced", "a\nb\r\nc\n", "b\n", "x\ny\n", "a\nx\r\ny\r\nc\n"],
		[
			"a mixed file: each like the line that it replaces",
			"a\r\nb\nc\r\n",
			"a\nb\n",
			"x\ny\n",
			"x\r\ny\nc\r\n",
		],
		["the last line, not closed, like the line above", "a\r\nb", "b", "x\ny", "a\r\nx\r\ny"],
		["a file with only carriage returns: so do new lines", "a\rb\rc", "b\n", "x\ny\n", "a\rx\ry\rc"],
		["a carriage return among line feeds is a character", "a\rb\nc\n", "c", "x\ny", "a\rb\nx\ny\n"],
		["a change next to a line end leaves it whole", "a\r\nb\r\n", "a", "", "\r\nb\r\n"],
	];
	test.each(cases)("%s", (_, original, from, to, expected) => {
		const unified = unify(original);
		const start = unified.text.indexOf(from);
		expect(splicedAsWritten(unified, [{ start, end: start + from.length, text: to }])).toBe(expected);
	});

	test("of an inserted line are those of the line before it", () => {
		const unified = unify("a\r\nb\n");
		const start = unified.text.indexOf("b");
		expect(splicedAsWritten(unified, [{ start, end: start, text: "x\n" }])).toBe("a\r\nx\r\nb\n");
	});

	test("are distinguished", () => {
		const kinds = ["", "a\nb\n", "a\r\nb\r\n", "a\r\nb\n"].map((original) => lineEndOf(unify(original)));
		expect(kinds).toEqual(["lf", "lf", "crlf", "mixed"]);
	});
});

describe("lines by number", () => {
	test("are those of a split text", () => {
		const feed = fc.constantFrom("a", "bc", "\n", "é");
		fc.assert(
			fc.property(
				fc.array(feed, { maxLength: 30 }).map((parts) => parts.join("")),
				(whole) => {
					const lines = whole.split("\n");
					if (lines.at(-1) === "") lines.pop();
					const lineText = new LineText(whole);
					expect(lineText.lines(1, lineText.count)).toEqual(lines);
					for (let offset = 0; offset < whole.length; offset++) {
						expect(lineText.lineAt(offset)).toBe(whole.slice(0, offset).split("\n").length);
					}
				},
			),
		);
	});
});
