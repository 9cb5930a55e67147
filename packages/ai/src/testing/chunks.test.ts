import { expect, test } from "bun:test";
import fc from "fast-check";
import { anyCharacter } from "../../../../test/support/any-character.ts";
import { cut } from "./chunks.ts";

const anyText = fc.string({ unit: anyCharacter });

test("the pieces of any text add up to it, as many as requested or one per code point", () => {
	fc.assert(
		fc.property(anyText, fc.integer({ min: 1, max: 60 }), (text, count) => {
			const pieces = [...cut(text, count)];
			expect(pieces.join("")).toBe(text);
			expect(pieces).toHaveLength(Math.min(count, Array.from(text).length));
		}),
	);
});

test("no chunk starts or ends inside an emoji", () => {
	fc.assert(
		fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 1, max: 60 }), (text, count) => {
			for (const piece of cut(text, count)) expect(piece.isWellFormed()).toBe(true);
		}),
	);
});
