/** Cutting never splits a grapheme. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { anyCharacter } from "../../../test/support/any-character.ts";
import { cutGraphemes, cutMiddle, cutUnits, cutUtf8, cutUtf8Bytes, fenced, oneLine } from "./text.ts";

const family = "👩‍👩‍👧‍👦";

function count(text: string): number {
	return [...new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(text)].length;
}

// fast-check's "grapheme" units may join with their neighbors; spaces between them keep the count honest.
const spaced = fc
	.array(fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 }))
	.map((units) => units.join(" "));

describe("cutGraphemes", () => {
	test.each([
		["hello", 5, "hello"],
		["hello", 4, "hel…"],
		["hello", 1, "…"],
		["hello", 0, ""],
		[family.repeat(3), 3, family.repeat(3)],
		[family.repeat(4), 3, `${family.repeat(2)}…`],
		["e\u0301".repeat(3), 2, "e\u0301…"],
		["abe\u0301", 3, "abe\u0301"],
		["", 3, ""],
	])("%j to %d is %j", (text, max, expected) => {
		expect(cutGraphemes(text, max)).toBe(expected);
	});

	test("a custom ellipsis counts by its own length", () => {
		expect(cutGraphemes("hello world", 7, "...")).toBe("hell...");
		expect(cutGraphemes("hello world", 2, "...")).toBe("..");
		expect(cutGraphemes("hello", 3, "")).toBe("hel");
	});

	test("a text that fits is unchanged; a longer one is cut to size and keeps its start", () => {
		fc.assert(
			fc.property(spaced, fc.nat(20), (text, max) => {
				const cut = cutGraphemes(text, max);
				if (count(text) <= max) expect(cut).toBe(text);
				else {
					expect(count(cut)).toBeLessThanOrEqual(max);
					expect(text.startsWith(cut.replace(/…$/, ""))).toBe(true);
					if (max > 0) expect(cut).toEndWith("…");
				}
			}),
		);
	});

	test("stacked accents and fifty megabytes of text cost no more than the part that is kept", () => {
		expect(cutGraphemes(`a${"\u0301".repeat(10_000_000)}b`, 5).length).toBeLessThan(1000);
		expect(cutGraphemes(family.repeat(4_000_000), 2)).toBe(`${family}…`);
	});
});

describe("cutMiddle", () => {
	test.each([
		["/home/ann/src/index.ts", 11, "/home…ex.ts"],
		["short", 5, "short"],
		["abcdef", 2, "a…"],
		["abcdef", 1, "…"],
		["abcdef", 0, ""],
		[family.repeat(6), 3, `${family}…${family}`],
	])("%j to %d is %j", (text, max, expected) => {
		expect(cutMiddle(text, max)).toBe(expected);
	});

	test("the result fits, and begins and ends as the text does", () => {
		fc.assert(
			fc.property(spaced, fc.integer({ min: 2, max: 20 }), (text, max) => {
				const cut = cutMiddle(text, max, "|");
				if (count(text) <= max) return expect(cut).toBe(text);
				return expect(count(cut)).toBeLessThanOrEqual(max);
			}),
		);
	});
});

describe("oneLine", () => {
	test("the result is one clean line", () => {
		expect(oneLine("\n\n  \x1b[31mfirst\x1b[0m\tline\r\n  second ", 40)).toBe("first line second");
		expect(oneLine("first\nsecond", 8)).toBe("first s…");
		expect(oneLine("x", 0)).toBe("");
	});

	test("a huge text is cut and marked, even when most of it was not read", () => {
		expect(oneLine(`a${" ".repeat(1_000_000)}b`, 5)).toBe("a…");
	});
});

describe("bytes", () => {
	test("cutUtf8 keeps the longest start that fits", () => {
		expect(cutUtf8("aé😀z", 0)).toBe("");
		expect(cutUtf8("aé😀z", 2)).toBe("a");
		expect(cutUtf8("aé😀z", 6)).toBe("aé");
		expect(cutUtf8("aé😀z", 7)).toBe("aé😀");
		fc.assert(
			fc.property(fc.string({ unit: anyCharacter }), fc.nat(40), (text, max) => {
				const cut = cutUtf8(text, max);
				expect(text.startsWith(cut)).toBe(true);
				expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(max);
				const next = text.codePointAt(cut.length);
				if (next === undefined) return;
				expect(Buffer.byteLength(cut + String.fromCodePoint(next))).toBeGreaterThan(max);
			}),
		);
	});

	test("cutUtf8Bytes cuts between characters at either end", () => {
		fc.assert(
			fc.property(
				fc.string({ unit: anyCharacter }),
				fc.nat(40),
				fc.constantFrom("head", "tail"),
				(text, max, from) => {
					const bytes = new TextEncoder().encode(text);
					const cut = cutUtf8Bytes(bytes, max, from);
					expect(cut.length).toBeLessThanOrEqual(max);
					expect(bytes.length - cut.length === 0 || cut.length > max - 4).toBe(true);
					const decoded = new TextDecoder("utf-8", { fatal: true }).decode(cut);
					expect(from === "head" ? text.startsWith(decoded) : text.endsWith(decoded)).toBe(true);
				},
			),
		);
	});

	test("bytes that are not text are cut at the limit", () => {
		const noise = new Uint8Array(100).fill(0x80);
		expect(cutUtf8Bytes(noise, 10, "head")).toHaveLength(10);
		expect(cutUtf8Bytes(noise, 10, "tail")).toHaveLength(10);
	});
});

test("cutUnits never leaves half a surrogate pair", () => {
	expect(cutUnits("a😀b", 2)).toBe("a");
	expect(cutUnits("a😀b", 3)).toBe("a😀");
	expect(cutUnits("abc", 3)).toBe("abc");
});

test("no line of a text ends the block that it is in", () => {
	expect(fenced("a\n```\nb\n````\n", "sh")).toBe("`````sh\na\n```\nb\n````\n`````");
});
