/** Finds what changed between two lists: the shortest way from one to the other, in bounded time. */
import { uniqueMatches } from "./anchors.ts";
import { limits } from "./limits.ts";
import { shortestEdits } from "./myers.ts";
import { Parts, type EditPart } from "./parts.ts";
import type { Budget, Range } from "./range.ts";
import { slideDown } from "./slide.ts";

export type { EditPart } from "./parts.ts";

/**
 * The result is minimal up to `mostEdits` differences. Beyond that the lists are split at the values that occur once in
 * each of them, and what still differs too much counts as replaced.
 */
export function editScript(
	before: readonly string[],
	after: readonly string[],
	mostEdits: number,
): EditPart[] {
	const numbers = new Map<string, number>();
	const [a, b] = [numbered(before, numbers), numbered(after, numbers)];
	const search: Search = { a, b, mostEdits, budget: { steps: limits.steps }, parts: new Parts() };
	compare(search, { aFrom: 0, aTo: a.length, bFrom: 0, bTo: b.length });
	return slideDown(search.parts.list, a, b);
}

interface Search {
	a: Int32Array;
	b: Int32Array;
	mostEdits: number;
	budget: Budget;
	parts: Parts;
}

/** Equal values have equal numbers, so that long lines are compared once. */
function numbered(values: readonly string[], numbers: Map<string, number>): Int32Array {
	return Int32Array.from(values, (value) => {
		const known = numbers.get(value);
		if (known !== undefined) return known;
		numbers.set(value, numbers.size);
		return numbers.size - 1;
	});
}

function compare(search: Search, range: Range): void {
	const { a, b, parts } = search;
	let { aFrom, aTo, bFrom, bTo } = range;
	while (aFrom < aTo && bFrom < bTo && a[aFrom] === b[bFrom]) {
		aFrom++;
		bFrom++;
	}
	while (aFrom < aTo && bFrom < bTo && a[aTo - 1] === b[bTo - 1]) {
		aTo--;
		bTo--;
	}
	parts.add(true, aFrom - range.aFrom, bFrom - range.bFrom);
	compareInner(search, { aFrom, aTo, bFrom, bTo });
	parts.add(true, range.aTo - aTo, range.bTo - bTo);
}

function compareInner(search: Search, range: Range): void {
	const { a, b, parts } = search;
	const { aFrom, aTo, bFrom, bTo } = range;
	if (aFrom === aTo || bFrom === bTo) {
		parts.add(false, aTo - aFrom, bTo - bFrom);
		return;
	}
	const steps = shortestEdits(
		a.subarray(aFrom, aTo),
		b.subarray(bFrom, bTo),
		search.mostEdits,
		search.budget,
	);
	if (steps !== undefined) {
		for (const [isSame, before, after] of steps) parts.add(isSame, before, after);
		return;
	}
	const anchors = uniqueMatches(a, b, range, search.budget);
	if (anchors.length === 0) {
		parts.add(false, aTo - aFrom, bTo - bFrom);
		return;
	}
	let [aAt, bAt] = [aFrom, bFrom];
	for (const [aAnchor, bAnchor] of anchors) {
		compare(search, { aFrom: aAt, aTo: aAnchor, bFrom: bAt, bTo: bAnchor });
		parts.add(true, 1, 1);
		[aAt, bAt] = [aAnchor + 1, bAnchor + 1];
	}
	compare(search, { aFrom: aAt, aTo, bFrom: bAt, bTo });
}
