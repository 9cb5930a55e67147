/** The parts of an edit script, collected from start to end. */

/** A part of both lists: the same in both, or one in the place of the other. */
export interface EditPart {
	isSame: boolean;
	/** From and to, in each list. */
	before: readonly [number, number];
	after: readonly [number, number];
}

/** Joins neighbours of one kind. */
export class Parts {
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
