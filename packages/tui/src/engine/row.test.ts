/** A row that reaches the terminal can only show itself. */
import { expect, test } from "bun:test";
import { visibleWidth } from "@tau/sys";
import fc from "fast-check";

import { anyCharacter } from "../../../../test/support/any-character.ts";
import { samples } from "../../../../test/support/depth.ts";
import { CURSOR_MARKER } from "../component.ts";
import { makeRow, plainText } from "./row.ts";

const pieces = fc.oneof(
	fc.string({ unit: anyCharacter, maxLength: 8 }),
	fc.string({ unit: "grapheme", maxLength: 8 }),
	fc.constantFrom(
		"\x1b[2J",
		"\x1b[3J",
		"\x1b[5;5H",
		"\x1b]52;c;aGk=\x07",
		"\x1b]0;title\x07",
		"\x1bc",
		"\x1b[>4;2m",
	),
	fc.constantFrom(
		"\x9b2J",
		"\x9d52;c;aGk=\x9c",
		"\x1bP1$r\x1b\\",
		"\x1b_Ga=T;AAAA\x1b\\",
		"\x1b_tau:0:1\x07",
		"\x1bk\x1b\\",
	),
	fc.constantFrom(
		"\x1b[31m",
		"\x1b[38;2;1;2;3m",
		"\x1b[0m",
		"\x1b]8;;https://a.b\x1b\\",
		"漢字",
		"👩‍👩‍👧",
		"\t",
		"\r\n",
		CURSOR_MARKER,
	),
);

test("whatever a component renders, a row contains only colors, links and text, and fits", () => {
	fc.assert(
		fc.property(fc.array(pieces, { maxLength: 12 }), fc.integer({ min: 1, max: 30 }), (parts, width) => {
			const row = makeRow(parts.join(""), width);
			const bare = row.text.replace(/\x1b\[[0-9;:]*m|\x1b\]8;[^\x07\x1b]*(?:\x07|\x1b\\)/g, "");
			expect(bare).not.toMatch(/[\0-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/);
			expect(visibleWidth(row.text)).toBeLessThanOrEqual(width);
			expect(row.cells).toBe(visibleWidth(row.text));
			if (row.caret !== undefined) expect(row.caret).toBeLessThan(width);
		}),
		{ numRuns: samples(2000) },
	);
});

test("text that tries to move the cursor, clear the screen or fill the clipboard is shown without that", () => {
	const evil = "rm \x1b[2J\x1b[H\x1b]52;c;ZXZpbA==\x07-rf\x1b]0;owned\x07 \u202egpj.exe\x1bc";
	expect(plainText(makeRow(evil, 80))).toBe("rm -rf gpj.exe");
});

test("colors and links of a row stay", () => {
	const row = "\x1b[1;31mred\x1b[0m \x1b]8;;https://example.org\x1b\\link\x1b]8;;\x1b\\";
	const { text, end } = makeRow(row, 80);
	expect(text + end).toBe("\x1b[31;1mred \x1b]8;;https://example.org\x1b\\\x1b[mlink\x1b]8;;\x1b\\");
});

test("the caret is at its marker, and the marker is removed", () => {
	const row = makeRow(`漢\x1b[1mab${CURSOR_MARKER}c`, 80);
	expect(row.caret).toBe(4);
	expect(row.text).not.toContain("pi:c");
});

test("a row that is too wide is cut between characters", () => {
	expect(makeRow("漢字漢字", 5).text).toBe("漢字");
	expect(makeRow("漢", 1).text).toBe("");
});

test("trailing spaces are not written unless they are colored", () => {
	expect(makeRow("text     ", 80).text).toBe("text");
	expect(makeRow("\x1b[41mtext     \x1b[0m", 80).cells).toBe(9);
});
