/** Finding the position again after a change of width. */
import { expect, test } from "bun:test";
import { wrapTextWithAnsi } from "@tau/sys";
import fc from "fast-check";

import { firstUncommitted } from "./rewrap.ts";

const text = Array.from({ length: 200 }, (_, at) => `word${at}`).join(" ");

test("the text continues where it was cut, or a little before", () => {
	fc.assert(
		fc.property(
			fc.integer({ min: 12, max: 90 }),
			fc.integer({ min: 12, max: 90 }),
			fc.double({ min: 0.05, max: 0.95, noNaN: true }),
			(before, after, share) => {
				const old = wrapTextWithAnsi(text, before);
				const committed = old.slice(0, Math.ceil(old.length * share));
				const rows = wrapTextWithAnsi(text, after);
				const first = firstUncommitted(committed, rows);
				const shown = [...committed, ...rows.slice(first)].join(" ").match(/word\d+/g) ?? [];
				// No word is missing, and at most one row is repeated.
				expect(new Set(shown).size).toBe(200);
				expect(shown.length).toBeLessThan(200 + after / 5);
			},
		),
	);
});

test("a block whose text is not found again is shown from its start", () => {
	expect(firstUncommitted(["something that was"], ["nothing of it is left", "here"])).toBe(0);
});

test("borders and indents do not count", () => {
	expect(firstUncommitted(["╭──────╮", "│ one two │"], ["╭────╮", "│ one │", "│ two │", "│ three │"])).toBe(
		3,
	);
});
