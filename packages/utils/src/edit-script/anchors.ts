/** Finds values that occur once in each of two lists, in the same order: safe positions to split a comparison at. */
import type { Budget, Range } from "./range.ts";

type Match = readonly [a: number, b: number];

export function uniqueMatches(a: Int32Array, b: Int32Array, range: Range, budget: Budget): Match[] {
	budget.steps -= range.aTo - range.aFrom + (range.bTo - range.bFrom);
	if (budget.steps <= 0) return [];
	const inA = onlyPlaces(a, range.aFrom, range.aTo);
	const inB = onlyPlaces(b, range.bFrom, range.bTo);
	const matches: Match[] = [];
	for (const [value, place] of inA) {
		const other = inB.get(value);
		if (place >= 0 && other !== undefined && other >= 0) matches.push([place, other]);
	}
	return longestAscending(matches);
}

/** The position of each value, in the order of the list; -1 for a value that occurs more than once. */
function onlyPlaces(list: Int32Array, from: number, to: number): Map<number, number> {
	const places = new Map<number, number>();
	for (let at = from; at < to; at++) {
		const value = list[at] ?? -1;
		places.set(value, places.has(value) ? -1 : at);
	}
	return places;
}

/** The longest sequence of matches that ascends in `b`; the matches already ascend in `a`. */
function longestAscending(matches: readonly Match[]): Match[] {
	/** The last match of the best sequence of each length, and the predecessor of each match in its sequence. */
	const ends: number[] = [];
	const previous = new Int32Array(matches.length).fill(-1);
	for (const [index, [, b]] of matches.entries()) {
		let [low, high] = [0, ends.length];
		while (low < high) {
			const middle = (low + high) >> 1;
			if ((matches[ends[middle] ?? 0]?.[1] ?? 0) < b) low = middle + 1;
			else high = middle;
		}
		previous[index] = ends[low - 1] ?? -1;
		ends[low] = index;
	}
	const chosen: Match[] = [];
	for (let index = ends.at(-1) ?? -1; index >= 0; index = previous[index] ?? -1) {
		const match = matches[index];
		if (match) chosen.push(match);
	}
	return chosen.toReversed();
}
