/** Every word is found at its end, however the words overlap and the text is chunked. */
import { expect, test } from "bun:test";
import fc from "fast-check";

import { WordFinder } from "./words.ts";

const words = fc.array(fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 1, maxLength: 4 }), {
	maxLength: 8,
});
const texts = fc.string({ unit: fc.constantFrom("a", "b", "c", "A", "B", "é", " "), maxLength: 30 });

test("property: the matches are those of a search for each word", () => {
	fc.assert(
		fc.property(words, texts, fc.nat(30), (list, text, cut) => {
			const finder = new WordFinder(list.map((word, owner) => ({ word, owner })));
			const middle = Math.min(cut, text.length);
			const read = finder.reader();
			const shifted = (piece: string, by: number): string[] =>
				read(piece).flatMap(({ start, end, owners }) =>
					owners.map((owner) => `${owner} ${start + by} ${end + by}`),
				);
			const ends = [...shifted(text.slice(0, middle), 0), ...shifted(text.slice(middle), middle)];
			const expected = list.flatMap((word, owner) =>
				Array.from(text.toLowerCase(), (_, at) => at)
					.filter((at) => text.toLowerCase().startsWith(word, at))
					.map((at) => `${owner} ${at} ${at + word.length}`),
			);
			expect(ends.toSorted()).toEqual(expected.toSorted());
		}),
	);
});
