/** Finds the differences between two lists: the fewest edits from one to the other, in bounded time. */
import { uniqueMatches } from "./anchors.ts";
import { shortestEdits } from "./myers.ts";
import type { Budget, Range } from "./range.ts";

/** The bound of an edit script, with its reason. */
const limits = {
	/** Comparisons in all. On two cores, 1.5 million take 30 to 70 ms, also for adversarial input. */
	steps: 1_500_000,
} as const;

/**
 * The result is minimal up to `mostEdits` differences. Beyond that the lists are split at the values that occur once
 * in each of them, and ranges that still differ too much count as replaced.
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

/**
 * Moves additions and removals that fit at several positions to the last of them, where readers of diffs expect them.
 */
function slideDown(parts: readonly EditPart[], a: Int32Array, b: Int32Array): EditPart[] {
	const out = new Parts();
	let taken = 0;
	for (const [index, part] of parts.entries()) {
		const [before, after] = [part.before[1] - part.before[0], part.after[1] - part.after[0]];
		if (part.isSame) {
			out.add(true, before - taken, after - taken);
			taken = 0;
			continue;
		}
		taken = room(part, parts[index + 1], index + 2 >= parts.length, a, b);
		out.add(true, taken, taken);
		out.add(false, before, after);
	}
	return out.list;
}

/** The number of elements by which a change can move into the unchanged part that follows it. */
function room(
	{ before, after }: EditPart,
	next: EditPart | undefined,
	isLast: boolean,
	a: Int32Array,
	b: Int32Array,
): number {
	const isAddition = before[0] === before[1];
	// A replacement cannot move.
	if (next === undefined || (!isAddition && after[0] !== after[1])) return 0;
	const [values, [from, to]] = isAddition ? [b, after] : [a, before];
	// At least one element has to stay between two changes.
	const most = next.before[1] - next.before[0] - (isLast ? 0 : 1);
	let by = 0;
	while (by < most && values[from + by] === values[to + by]) by++;
	return by;
}

/** A range of both lists: equal in both, or replaced. */
export interface EditPart {
	isSame: boolean;
	/** Start and end (exclusive) in each list. */
	before: readonly [number, number];
	after: readonly [number, number];
}

/** Collects the parts from start to end, and joins neighbors of the same kind. */
class Parts {
	readonly list: EditPart[] = [];
	#before = 0;
	#after = 0;

	add(isSame: boolean, before: number, after: number): void {
		if (before === 0 && after === 0) return;
		const from = [this.#before, this.#after] as const;
		this.#before += before;
		this.#after += after;
		const last = this.list.at(-1);
		if (last?.isSame !== isSame) {
			this.list.push({ isSame, before: [from[0], this.#before], after: [from[1], this.#after] });
			return;
		}
		this.list[this.list.length - 1] = {
			isSame,
			before: [last.before[0], this.#before],
			after: [last.after[0], this.#after],
		};
	}
}
