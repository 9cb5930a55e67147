import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import { anyCharacter } from "../../../../test/support/any-character.ts";
import { samples } from "../../../../test/support/depth.ts";
import { graphemes, visibleWidth } from "./index.ts";

/** Rows of Unicode's own files, version 17.0.0; see fixtures/make.ts. */
async function rows(name: string): Promise<string[]> {
	const packed = await Bun.file(join(import.meta.dir, "fixtures", `${name}.txt.gz`)).bytes();
	const text = new TextDecoder().decode(Bun.gunzipSync(packed));
	return text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
}

function characters(codes: string): string {
	return codes
		.trim()
		.split(" ")
		.map((code) => String.fromCodePoint(parseInt(code, 16)))
		.join("");
}

function clusters(text: string): string[] {
	return Array.from(graphemes(text), (grapheme) => grapheme.text);
}

const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

describe("against Unicode's data files", () => {
	test("every case of GraphemeBreakTest.txt breaks where Unicode says", async () => {
		const cases = await rows("grapheme-breaks");
		expect(cases.length).toBe(766);
		for (const line of cases) {
			const expected = line
				.split("÷")
				.filter((part) => part.trim() !== "")
				.map((part) => characters(part.replaceAll("×", " ").replace(/ +/g, " ")));
			expect(clusters(expected.join(""))).toEqual(expected);
		}
	});

	test("every emoji of emoji-test.txt is one character, and a fully qualified one takes two cells", async () => {
		const cases = await rows("emoji");
		expect(cases.length).toBe(5225);
		const wrong: string[] = [];
		for (const line of cases) {
			const [codes = "", status = ""] = line.split(" ; ");
			const text = characters(codes);
			const cells = visibleWidth(text);
			const isRight = status === "fully-qualified" || status === "component" ? cells === 2 : cells <= 2;
			if (clusters(text).length !== 1 || !isRight) wrong.push(line);
		}
		expect(wrong).toEqual([]);
	});

	test("an emoji selector makes every base of emoji-variation-sequences.txt two cells wide", async () => {
		const cases = await rows("emoji-variations");
		expect(cases.length).toBe(742);
		for (const line of cases) {
			const [codes = "", style = ""] = line.split(" ; ");
			const [base = ""] = codes.split(" ");
			const cells = visibleWidth(characters(codes));
			// UAX #11 widens emoji presentation and says nothing of text presentation.
			expect(cells).toBe(style.startsWith("emoji") ? 2 : visibleWidth(characters(base)));
		}
	});

	test("every code point takes the cells that East_Asian_Width and its category give it", async () => {
		const wide = new Uint8Array(0x110000);
		for (const [first, last] of [
			[0x3400, 0x4dbf],
			[0x4e00, 0x9fff],
			[0xf900, 0xfaff],
			[0x20000, 0x2fffd],
			[0x30000, 0x3fffd],
		] as const) {
			wide.fill(1, first, last + 1);
		}
		const ranges = await rows("wide");
		expect(ranges.length).toBeGreaterThan(100);
		for (const line of ranges) {
			const [first = "", last = ""] = (line.split(" ")[0] ?? "").split("..");
			wide.fill(1, parseInt(first, 16), parseInt(last, 16) + 1);
		}
		const ignorable = /\p{Default_Ignorable_Code_Point}/u;
		const invisible = /[\p{Cc}\p{Mn}\p{Me}]/u;
		const format = /[\p{Cf}\p{Cn}]/u;
		const jamo = /[\u1160-\u11ff\ud7b0-\ud7fb]/;
		const wrong: string[] = [];
		for (let code = 0; code <= 0x10ffff; code++) {
			// The tab, and controls that begin an escape sequence, have their own rules.
			if ((code >= 0xd800 && code < 0xe000) || (code < 0xa0 && !(code >= 0x20 && code < 0x7f))) continue;
			const text = String.fromCodePoint(code);
			const isJamo = jamo.test(text) && !/\p{Cn}/u.test(text);
			const isHidden = ignorable.test(text) && format.test(text) && code !== 0xad;
			const expected = isJamo || isHidden || invisible.test(text) ? 0 : wide[code] === 1 ? 2 : 1;
			if (visibleWidth(text) !== expected) wrong.push(`${code.toString(16)} ${visibleWidth(text)}`);
		}
		expect(wrong).toEqual([]);
	});
});

const curious = fc.constantFrom(
	..."a \r\n\u0000\u0301\u0600\u0903\u094d\u0915\u0937\u093f\u0e33\u1100\u1161\u11a8\uac00\uac01\u200c\u200d\ufe0f\ufe0e\u20e3",
	..."1漢ｶﾞ👩👍🏽🇩🇪❤🗨😀🏴\u{e0067}\u{e007f}",
	"\ud800",
	"\udc00",
);
const anything = fc.oneof(curious, fc.string({ unit: anyCharacter, maxLength: 2 }));

test("graphemes are those of the runtime's own segmenter, in order and without a gap", () => {
	fc.assert(
		fc.property(fc.array(anything, { maxLength: 12 }), (parts) => {
			const text = parts.join("");
			const actual = [...graphemes(text)];
			expect(actual.map((grapheme) => grapheme.text)).toEqual(
				Array.from(segmenter.segment(text), ({ segment }) => segment),
			);
			let index = 0;
			for (const grapheme of actual) {
				expect(grapheme.index).toBe(index);
				index += grapheme.text.length;
			}
		}),
		{ numRuns: samples(3000) },
	);
});

test.each([
	["letters", "abc", 3],
	["a combined accent", "e\u0301", 1],
	["a letter under thirty accents", `z${"\u0334".repeat(30)}`, 1],
	["CJK", "漢字", 4],
	["half-width katakana with its mark", "ｶﾞ", 2],
	["a Hangul syllable", "한", 2],
	["the same syllable in jamo", "\u1112\u1161\u11ab", 2],
	["Thai with sara am", "กำ", 2],
	["Devanagari with a vowel sign: terminals give the sign a cell", "नि", 2],
	["Arabic with a vowel mark", "مُ", 1],
	["Hebrew", "שלום", 4],
	["a family joined by ZWJ", "👩‍👩‍👧‍👦", 2],
	["a flag", "🇩🇪", 2],
	["half a flag", "🇩", 1],
	["a flag of tags", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", 2],
	["a skin tone", "👍🏽", 2],
	["a skin tone on a base without tones", "😀🏽", 4],
	["a heart as text", "❤", 1],
	["a heart as emoji", "❤️", 2],
	["a watch in text presentation keeps the cells that terminals give it", "⌚︎", 2],
	["a keycap", "1️⃣", 2],
	["a lone selector", "\ufe0f", 0],
	["a selector that does not follow its base", "1\u0301\ufe0f", 1],
	["a zero-width space", "a\u200bb", 2],
	["a soft hyphen", "a\u00adb", 3],
	["a lone surrogate, which is written as U+FFFD", "\ud83d", 1],
	["a NUL", "a\u0000b", 2],
	["emoji of Unicode 16 and 17", "🫩🫈", 4],
])("%s", (_name, text, cells) => {
	expect(visibleWidth(text)).toBe(cells);
});
