/** A growing text is correct after every piece, and its pieces are released. */
import { heapStats } from "bun:jsc";
import { expect, test } from "bun:test";
import * as fc from "fast-check";

import { anyCharacter } from "../../../../test/support/any-character.ts";
import { GrowingText } from "./growing-text.ts";
import { limits } from "./limits.ts";

const piece = fc.oneof(
	fc.string({ unit: anyCharacter }),
	fc.constantFrom("\n", "\r\n", "$", "\0", "\ud83d", "\ude42"),
	fc.nat(3 * limits.openTextChars).map((length) => "é".repeat(length)),
);

test("after each piece it is all pieces so far", () => {
	fc.assert(
		fc.property(fc.array(piece), (pieces) => {
			const text = new GrowingText();
			let expected = "";
			for (const each of pieces) {
				text.add(each);
				expected += each;
				expect(text.value).toBe(expected);
				expect(text.length).toBe(expected.length);
			}
			text.clear();
			text.add("again");
			expect(text.value).toBe("again");
		}),
	);
});

test("small pieces do not leave one object each", () => {
	const strings = (): number => {
		Bun.gc(true);
		return heapStats().objectTypeCounts["string"] ?? 0;
	};
	const before = strings();
	const text = new GrowingText();
	let current = "";
	for (let count = 0; count < 200_000; count++) {
		text.add(String.fromCharCode(97 + (count % 26)));
		current = text.value;
	}
	expect(strings() - before).toBeLessThan(20_000);
	expect(current.length).toBe(200_000);
});
