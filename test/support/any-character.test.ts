/** Every character can be drawn, each has its own place to shrink from, and what is no character has none. */
import { expect, test } from "bun:test";
import fc from "fast-check";

import { anyCharacter } from "./any-character.ts";

test.each(["\0", "a", "\ud7ff", "\ue000", "\uffff", "\u{10000}", "\u{10ffff}"])("%j is one", (character) => {
	expect(anyCharacter.canShrinkWithoutContext(character)).toBe(true);
	const code = character.codePointAt(0) ?? 0;
	const smaller = [...anyCharacter.shrink(character, undefined)].map(
		({ value }) => value.codePointAt(0) ?? -1,
	);
	expect(smaller.every((each) => each >= 0 && each < code)).toBe(true);
	expect(smaller.length > 0).toBe(code > 0);
});

test.each(["", "ab", "\ud800", "\udfff", "a\u0301", 5])("%j is none", (value) => {
	expect(anyCharacter.canShrinkWithoutContext(value)).toBe(false);
});

test("what is drawn is one character and never half of one", () => {
	fc.assert(
		fc.property(anyCharacter, (character) => {
			expect([...character]).toHaveLength(1);
			expect(character.isWellFormed()).toBe(true);
			expect(anyCharacter.canShrinkWithoutContext(character)).toBe(true);
		}),
	);
});
