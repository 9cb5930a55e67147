/** Which of a list's items is selected, and which part of the list is seen. */

export class ListState<T> {
	readonly #idOf: (item: T) => string;
	#items: readonly T[] = [];
	#at = 0;
	/** Remembered while the list is empty, as during a search without matches. */
	#lastId: string | undefined;

	constructor(idOf: (item: T) => string) {
		this.#idOf = idOf;
	}

	get items(): readonly T[] {
		return this.#items;
	}

	get at(): number {
		return this.#at;
	}

	get selected(): T | undefined {
		return this.#items[this.#at];
	}

	/** The selection is kept while it exists; otherwise `instead` names another, else the position stays. */
	setItems(items: readonly T[], instead?: (id: string) => string | undefined): void {
		if (this.selected !== undefined) this.#lastId = this.#idOf(this.selected);
		const before = this.#lastId;
		this.#items = items;
		if (before === undefined || !(this.select(before) || this.select(instead?.(before)))) this.jump(0);
	}

	/** Whether it is in the list. */
	select(id: string | undefined): boolean {
		const at = id === undefined ? -1 : this.#items.findIndex((item) => this.#idOf(item) === id);
		if (at >= 0) this.#at = at;
		return at >= 0;
	}

	/** One step, round the end. */
	step(by: 1 | -1): void {
		const { length } = this.#items;
		if (length > 0) this.#at = (this.#at + by + length) % length;
	}

	/** Many steps, to the end and no further. */
	jump(by: number): void {
		this.#at = Math.max(0, Math.min(this.#items.length - 1, this.#at + by));
	}

	first(): void {
		this.jump(-this.#items.length);
	}

	/** The selected item is in the middle if the list allows it. */
	window(rows: number): { from: number; to: number } {
		const { length } = this.#items;
		const from = Math.max(0, Math.min(this.#at - Math.floor(rows / 2), length - rows));
		return { from, to: Math.min(length, from + rows) };
	}
}
