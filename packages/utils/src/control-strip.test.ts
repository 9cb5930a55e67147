/** Untrusted text cannot control the terminal; everything else in it is preserved. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { anyCharacter } from "../../../test/support/any-character.ts";
import { samples } from "../../../test/support/depth.ts";
import { ControlStripper, stripControls } from "./control-strip.ts";

describe("everything that a terminal would act on is removed", () => {
	test.each([
		["colors", "\x1b[1;31mred\x1b[0m", "red"],
		["8-bit colors", "\x9b31mred\x9b0m", "red"],
		["private modes", "\x1b[?1049h\x1b[>4;1mx", "x"],
		["a title that BEL ends", "\x1b]0;title\x07x", "x"],
		["a title that ST ends", "\x1b]0;title\x1b\\x", "x"],
		["an 8-bit title", "\x9d0;title\x9cx", "x"],
		["a title of screen", "\x1bktitle\x1b\\x", "x"],
		["a clipboard write", "\x1b]52;c;aGVsbG8=\x07x", "x"],
		["a hyperlink, but not its text", "\x1b]8;;http://evil\x1b\\text\x1b]8;;\x1b\\", "text"],
		["DCS", "\x1bPq#0;2\x1b\\x", "x"],
		["APC", "\x1b_Gf=100;AAAA\x1b\\x", "x"],
		["PM and SOS", "\x1b^pm\x1b\\a\x1bXsos\x1b\\b", "ab"],
		["tmux passthrough", "\x1bPtmux;\x1b\x1b]52;c;QQ==\x07\x1b\\x", "x"],
		["charset and other short ones", "\x1b(0a\x1b=b\x1bcc", "abc"],
		["a sequence cut off at the end", "x\x1b[31", "x"],
		["a lone ESC at the end", "x\x1b", "x"],
		["a bell, backspaces, a carriage return", "a\x07\x08\x08b\rc\x7f", "abc"],
		["direction marks", "a\u202eb\u2066c\u200fd\u061ce", "abcde"],
	])("%s", (_, text, expected) => {
		expect(stripControls(text)).toBe(expected);
	});
});

describe("everything that a reader would see stays", () => {
	test("line feeds, tabs, accents and family emoji stay", () => {
		const text = "a\tb\nc é e\u0301 👩‍👩‍👧‍👦 \u{1f1e9}\u{1f1ea}";
		expect(stripControls(text)).toBe(text);
	});

	test("line and paragraph separators are line endings", () => {
		expect(stripControls("a\u2028b\u2029c\r\nd")).toBe("a\nb\nc\nd");
	});

	test("line endings and tabs become spaces when a single line is requested", () => {
		expect(stripControls("a\nb\tc", { newline: false, tab: false })).toBe("a b c");
	});

	test("half a surrogate pair becomes a replacement character", () => {
		expect(stripControls("a\ud83dz\ude00")).toBe("a\ufffdz\ufffd");
		expect(stripControls("a\ud83d")).toBe("a\ufffd");
	});

	test("an unterminated control string costs one line, not the rest of the output", () => {
		expect(stripControls("a\x1b]0;never closed\nb\x1bPalso\nc")).toBe("a\nb\nc");
	});

	test("a sequence that is broken off returns the characters that are not part of it", () => {
		expect(stripControls("\x1b[3é")).toBe("é");
		expect(stripControls("\x1b[3\nx")).toBe("\nx");
		expect(stripControls("\x1b]0;\x18x")).toBe("x");
	});
});

const hostile = fc.string({
	unit: fc.oneof(
		fc.constantFrom(..."\x1b\x9b\x9c\x9d\x90\x9f\x07\x18\n\t\r[]P\\^_Xk0;m(?a \u2028\u202e"),
		fc.constantFrom("\ud83d", "\ude00", "😀", "é"),
	),
	maxLength: 40,
});

test("no control character gets through, whatever the text", () => {
	fc.assert(
		fc.property(fc.oneof(hostile, fc.string({ unit: anyCharacter })), (text) => {
			const clean = stripControls(text);
			expect(clean).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/);
			expect(clean.isWellFormed()).toBe(true);
			expect(stripControls(clean)).toBe(clean);
		}),
		{ numRuns: samples(500) },
	);
});

test("the result does not depend on where the text is split", () => {
	fc.assert(
		fc.property(hostile, fc.array(fc.nat(40), { maxLength: 6 }), (text, cuts) => {
			const stripper = new ControlStripper();
			const borders = [0, ...cuts.toSorted((a, b) => a - b), text.length];
			const pieces = borders.slice(1).map((end, index) => text.slice(borders[index], end));
			expect(pieces.map((piece) => stripper.push(piece)).join("") + stripper.end()).toBe(stripControls(text));
		}),
		{ numRuns: samples(500) },
	);
});

test.each(["\x1b[1", "\x1b]0;", "\x1b", "\x9b", "\x1bP", "\x1b[31mx\x1b[0m", "\ud83d", "😀\n"])(
	"a megabyte of %j is processed in time",
	(piece) => {
		expect(stripControls(piece.repeat(1_000_000 / piece.length))).not.toContain("\x1b");
	},
);
