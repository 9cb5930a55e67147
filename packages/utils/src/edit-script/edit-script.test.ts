/**
 * An edit script transforms one list into the other, in the fewest edits where that is affordable, in bounded time.
 */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";

import { samples } from "../../../../test/support/depth.ts";
import { editScript, type EditPart } from "./index.ts";

const most = 1000;

function apply(parts: readonly EditPart[], before: readonly string[], after: readonly string[]): string[] {
	return parts.flatMap((part) => (part.isSame ? before.slice(...part.before) : after.slice(...part.after)));
}

function edits(parts: readonly EditPart[]): number {
	const changed = parts.filter(({ isSame }) => !isSame);
	return changed.reduce((sum, { before, after }) => sum + before[1] - before[0] + after[1] - after[0], 0);
}

/** The textbook answer: both lengths minus twice the longest common subsequence. */
function fewest(before: readonly string[], after: readonly string[]): number {
	let row = Array.from({ length: after.length + 1 }, () => 0);
	for (const value of before) {
		const next = [0];
		for (const [at, other] of after.entries()) {
			next.push(value === other ? (row[at] ?? 0) + 1 : Math.max(row[at + 1] ?? 0, next[at] ?? 0));
		}
		row = next;
	}
	return before.length + after.length - 2 * (row.at(-1) ?? 0);
}

/** Checks that every element of both lists is in exactly one part, and that parts marked as the same are equal. */
function check(parts: readonly EditPart[], before: readonly string[], after: readonly string[]): void {
	let [old, now] = [0, 0];
	for (const part of parts) {
		expect([part.before[0], part.after[0]]).toEqual([old, now]);
		if (part.isSame) expect(before.slice(...part.before)).toEqual(after.slice(...part.after));
		[old, now] = [part.before[1], part.after[1]];
	}
	expect([old, now]).toEqual([before.length, after.length]);
	expect(apply(parts, before, after)).toEqual([...after]);
}

const list = fc.array(fc.constantFrom("a", "b", "c", "d", ""), { maxLength: 20 });

test("it transforms one list into the other in the fewest edits", () => {
	fc.assert(
		fc.property(list, list, (before, after) => {
			const parts = editScript(before, after, most);
			check(parts, before, after);
			expect(edits(parts)).toBe(fewest(before, after));
		}),
		{ numRuns: samples(500) },
	);
});

test("with few edits allowed, it still transforms one list into the other", () => {
	fc.assert(
		fc.property(list, list, fc.nat(3), (before, after, allowed) => {
			check(editScript(before, after, allowed), before, after);
		}),
		{ numRuns: samples(500) },
	);
});

test("an addition that fits at several positions is at the last one", () => {
	const before = ["one {", "}", "", "end"];
	const after = ["one {", "}", "", "two {", "}", "", "end"];
	expect(editScript(before, after, most)).toEqual([
		{ isSame: true, before: [0, 3], after: [0, 3] },
		{ isSame: false, before: [3, 3], after: [3, 6] },
		{ isSame: true, before: [3, 4], after: [6, 7] },
	]);
	const removed = editScript(["a", "a", "a", "x"], ["a", "a", "x"], most);
	expect(removed[1]).toEqual({ isSame: false, before: [2, 3], after: [2, 2] });
});

describe("very many differences", () => {
	const lines = (count: number, of: (at: number) => string) =>
		Array.from({ length: count }, (_, at) => of(at));

	test("are compared between the lines that occur once in each text", () => {
		const before = lines(20_000, (at) => `line ${at}`);
		const after = before.flatMap((line, at) =>
			at % 5 === 0 ? [`changed ${at}`] : at % 7 === 0 ? [] : [line],
		);
		const parts = editScript(before, after, most);
		check(parts, before, after);
		expect(edits(parts)).toBe(fewestOf(before, after));
	});

	/** All values are different, so every value that is in both lists has stayed. */
	function fewestOf(before: readonly string[], after: readonly string[]): number {
		const afterValues = new Set(after);
		const stayed = before.filter((line) => afterValues.has(line)).length;
		return before.length + after.length - 2 * stayed;
	}

	const hostile: [name: string, before: string[], after: string[]][] = [
		["nothing in common", lines(30_000, (at) => `a${at}`), lines(30_000, (at) => `b${at}`)],
		["the order turned around", lines(20_000, (at) => `${at}`), lines(20_000, (at) => `${19_999 - at}`)],
		[
			"three words in another order",
			lines(30_000, (at) => "abc"[(at * at) % 3] ?? ""),
			lines(30_000, (at) => "cab"[(at * 7) % 3] ?? ""),
		],
		[
			"every other line the same",
			lines(30_000, (at) => (at % 2 ? "}" : `a${at}`)),
			lines(30_000, (at) => (at % 2 ? "}" : `b${at}`)),
		],
		[
			"long lines that differ at their end",
			lines(200, (at) => "x".repeat(50_000) + at),
			lines(200, (at) => `${"x".repeat(50_000)}${at + 100}`),
		],
	];
	test.each(hostile)("%s: takes a fraction of a second", (_name, before, after) => {
		const started = process.cpuUsage().user;
		const parts = editScript(before, after, most);
		// About 50 ms on a free processor; an unbounded search takes minutes.
		expect((process.cpuUsage().user - started) / 1000).toBeLessThan(5000);
		expect(apply(parts, before, after)).toEqual(after);
	});
});
