/** Finds the shortest way from one list to another (Myers' algorithm), within bounds. */

/** A part of both lists: the same in both, or one in the place of the other. */
export interface Part {
	isSame: boolean;
	/** From and to, in each list. */
	before: readonly [number, number];
	after: readonly [number, number];
}

/** With more than `most` differences, all between the common start and the common end counts as changed. */
export function editScript(before: readonly string[], after: readonly string[], most: number): Part[] {
	let start = 0;
	while (start < before.length && start < after.length && before[start] === after[start]) start++;
	let end = 0;
	const room = Math.min(before.length, after.length) - start;
	while (end < room && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
	const inner = before.slice(start, before.length - end);
	const other = after.slice(start, after.length - end);
	const parts = new Parts();
	parts.add(true, start, start);
	for (const [isSame, left, right] of shortest(inner, other, most)) parts.add(isSame, left, right);
	parts.add(true, end, end);
	return parts.list;
}

class Parts {
	readonly list: Part[] = [];
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

type Step = [isSame: boolean, before: number, after: number];

function shortest(before: readonly string[], after: readonly string[], most: number): Step[] {
	if (before.length === 0 || after.length === 0) return [[false, before.length, after.length]];
	/** How far each diagonal was followed with so many edits; one list for each number of them. */
	const trace: Int32Array[] = [];
	for (let edits = 0; edits <= most; edits++) {
		const reached = furthest(before, after, trace.at(-1), edits);
		trace.push(reached);
		const diagonal = before.length - after.length;
		if (Math.abs(diagonal) <= edits && (reached[edits + diagonal] ?? -1) >= before.length) {
			return walkBack(before.length, after.length, trace);
		}
	}
	return [[false, before.length, after.length]];
}

/** The index of a diagonal is its number plus the number of edits. */
function furthest(
	before: readonly string[],
	after: readonly string[],
	last: Int32Array | undefined,
	edits: number,
): Int32Array {
	const reached = new Int32Array(2 * edits + 1).fill(-1);
	for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
		let at = last === undefined ? 0 : startOn(last, diagonal, edits);
		while (at < before.length && at - diagonal < after.length && before[at] === after[at - diagonal]) at++;
		reached[diagonal + edits] = at;
	}
	return reached;
}

/** Down from the diagonal above, or right from the one below: whichever is further. */
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
