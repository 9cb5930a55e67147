/** Finds the fewest edits from one list to another (Myers' algorithm), or gives up at its bounds. */
import type { Budget } from "./range.ts";

export type Step = readonly [isSame: boolean, before: number, after: number];

/** Undefined when there are more than `mostEdits` differences, or the budget is spent. Neither list is empty. */
export function shortestEdits(
	before: Int32Array,
	after: Int32Array,
	mostEdits: number,
	budget: Budget,
): Step[] | undefined {
	/** The furthest position on each diagonal; one list for each number of edits. */
	const trace: Int32Array[] = [];
	const diagonal = before.length - after.length;
	// At least this many edits are needed in any case.
	if (Math.abs(diagonal) > mostEdits) return undefined;
	for (let edits = 0; edits <= mostEdits && budget.steps > 0; edits++) {
		const reached = furthest(before, after, trace.at(-1), edits, budget);
		trace.push(reached);
		if (Math.abs(diagonal) <= edits && (reached[edits + diagonal] ?? -1) >= before.length) {
			return walkBack(before.length, after.length, trace);
		}
	}
	return undefined;
}

/** The index of a diagonal is its number plus the number of edits. */
function furthest(
	before: Int32Array,
	after: Int32Array,
	last: Int32Array | undefined,
	edits: number,
	budget: Budget,
): Int32Array {
	const reached = new Int32Array(2 * edits + 1).fill(-1);
	let followed = 0;
	for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
		const start = last === undefined ? 0 : startOn(last, diagonal, edits);
		let at = start;
		while (at < before.length && at - diagonal < after.length && before[at] === after[at - diagonal]) at++;
		reached[diagonal + edits] = at;
		followed += at - start + 1;
	}
	budget.steps -= followed;
	return reached;
}

/** Moves down from the diagonal above, or right from the one below, whichever is further. */
function startOn(last: Int32Array, diagonal: number, edits: number): number {
	const above = last[diagonal + 1 + edits - 1] ?? -1;
	const below = last[diagonal - 1 + edits - 1] ?? -1;
	return isDown(diagonal, edits, above, below) ? above : below + 1;
}

function isDown(diagonal: number, edits: number, above: number, below: number): boolean {
	return diagonal === -edits || (diagonal !== edits && below < above);
}

function walkBack(beforeLength: number, afterLength: number, trace: readonly Int32Array[]): Step[] {
	const steps: Step[] = [];
	let [x, y] = [beforeLength, afterLength];
	for (let edits = trace.length - 1; edits > 0; edits--) {
		const last = trace[edits - 1] ?? new Int32Array();
		const diagonal = x - y;
		const above = last[diagonal + edits] ?? -1;
		const below = last[diagonal + edits - 2] ?? -1;
		const down = isDown(diagonal, edits, above, below);
		const start = down ? above : below + 1;
		steps.push([true, x - start, x - start], [false, down ? 0 : 1, down ? 1 : 0]);
		x = down ? above : below;
		y = x - (diagonal + (down ? 1 : -1));
	}
	steps.push([true, x, x]);
	return steps.toReversed();
}
