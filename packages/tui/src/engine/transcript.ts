/** The conversation: finished blocks that are laid out once and released, and blocks at its end that still change. */
import { isScrolled, type Component, type Scrolled } from "../component.ts";
import { engineLimits } from "../limits.ts";
import { Block, type TranscriptBlock } from "./block.ts";
import { holds } from "./frame.ts";

export interface TranscriptOptions {
	/** Rows that a resize or a redraw lays out and writes again. */
	replayRows?: number;
	/** Rows of finished blocks that are kept to be drawn again; older blocks are forgotten. */
	keepRows?: number;
	/** The row that replaces blocks which are not laid out again. */
	elided?: (blocks: number) => string;
}

export class Transcript implements Scrolled {
	readonly #replayRows: number;
	readonly #keepRows: number;
	readonly #elided: (blocks: number) => string;
	#blocks: Block[] = [];
	/** The first block that has rows; those before it were left out of the layout. */
	#first = 0;
	/** The number of blocks that were released from memory. */
	#forgotten = 0;
	/** The number of the first block's first row: rows before it belonged to what was forgotten since the last layout. */
	#base = 0;
	/** True if a row at the top indicates that blocks were left out. */
	#gap = false;
	/** Blocks before it are frozen in place; the others are examined in every frame. */
	#placed = 0;
	/** Blocks before it have released their rows. */
	#released = 0;
	#committed = 0;
	/** Rows before it have not changed since they were committed. */
	#intact = Number.POSITIVE_INFINITY;
	#width = 0;
	/** No block was added, removed or told to be drawn anew since the rows were counted. */
	#isPlaced = false;

	constructor(options: TranscriptOptions = {}) {
		this.#replayRows = options.replayRows ?? engineLimits.replayRows;
		this.#keepRows = Math.max(engineLimits.historyKept, options.keepRows ?? engineLimits.transcriptRows);
		this.#elided = options.elided ?? elidedRow;
	}

	get children(): TranscriptBlock[] {
		return this.#blocks.map(({ component }) => component);
	}

	addChild(component: TranscriptBlock): void {
		this.#blocks.push(new Block(component));
		this.#isPlaced = false;
	}

	removeChild(component: Component): void {
		const at = this.#blocks.findLastIndex((block) => block.component === component);
		if (at < 0) return;
		this.#isPlaced = false;
		const [gone] = this.#blocks.splice(at, 1);
		if (gone !== undefined && gone.committed > 0) this.#intact = Math.min(this.#intact, gone.start);
		if (at < this.#first) this.#first--;
		this.#placed = Math.min(this.#placed, at);
		this.#released = Math.min(this.#released, at);
	}

	clear(): void {
		this.#isPlaced = false;
		this.#blocks = [];
		this.#intact = 0;
		this.#first = this.#placed = this.#released = this.#forgotten = this.#base = this.#committed = 0;
		this.#gap = false;
	}

	invalidate(): void {
		this.#isPlaced = false;
		for (const block of this.#blocks) block.invalidate();
		this.#placed = this.#first;
	}

	recolor(): void {
		this.#isPlaced = false;
		for (const block of this.#blocks) block.recolor();
		this.#placed = this.#first;
	}

	/**
	 * Blocks show more or less than before. What is in the terminal's history stays there; blocks that are not wholly
	 * there are laid out again, and `from` and all after it are shown again below.
	 */
	relayout(from?: TranscriptBlock): void {
		this.#isPlaced = false;
		const open = this.#blocks.findIndex(({ frozen, committed, count }) => !frozen || committed < count);
		const requested = this.#blocks.findIndex(({ component }) => component === from);
		const firsts = [open, requested].filter((at) => at >= this.#first);
		const first = Math.min(this.#blocks.length, ...firsts);
		for (const block of this.#blocks.slice(0, first)) block.keepRows(this.#committed);
		for (const block of this.#blocks.slice(first)) block.reopen();
		const block = this.#blocks[first];
		if (block !== undefined && block.committed > 0) this.#intact = Math.min(this.#intact, block.start);
		this.#placed = Math.min(this.#placed, first);
		this.#released = Math.min(this.#released, first);
	}

	render(width: number): string[] {
		return this.rows(width, 0, this.rowCount(width));
	}

	rowCount(width: number): number {
		if (width !== this.#width) this.restart(width, true);
		let row = this.#rowAfter(this.#placed - 1);
		let placed = true;
		for (let at = this.#placed; at < this.#blocks.length; at++) {
			const block = this.#blocks[at];
			if (block === undefined) continue;
			if (!block.frozen || block.width === 0) block.layout(width);
			block.start = row;
			row += block.count;
			placed &&= block.frozen;
			if (placed) this.#placed = at + 1;
		}
		this.#isPlaced = true;
		return row;
	}

	isPlaced(): boolean {
		return this.#isPlaced;
	}

	liveFrom(_width: number): number {
		return this.#blocks[this.#placed]?.start ?? this.#rowAfter(this.#blocks.length - 1);
	}

	settledUpTo(_width: number): number {
		const live = this.#blocks[this.#placed];
		return live === undefined ? this.#rowAfter(this.#blocks.length - 1) : live.start + live.settled;
	}

	rows(_width: number, from: number, to: number): string[] {
		const rows: string[] = [];
		const end = Math.min(to, this.#rowAfter(this.#blocks.length - 1));
		for (let row = from; row < Math.min(end, this.#top); row++) {
			rows.push(row === this.#base && this.#gap ? this.#elided(this.#forgotten + this.#first) : "");
		}
		for (let at = this.#blockAt(Math.max(from, this.#top)); at < this.#blocks.length; at++) {
			const block = this.#blocks[at];
			if (block === undefined || block.start >= end) break;
			const first = Math.max(0, from - block.start);
			const last = Math.min(block.count, end - block.start);
			if (first >= last) continue;
			for (const row of block.rows(first, last)) rows.push(row);
		}
		return rows;
	}

	intact(): number {
		return this.#intact;
	}

	committed(rows: number): void {
		this.#intact = Number.POSITIVE_INFINITY;
		const forward = rows >= this.#committed;
		for (let at = this.#blocks.length - 1; at >= this.#first; at--) {
			const block = this.#blocks[at];
			if (block === undefined) break;
			const before = block.committed;
			block.committed = Math.max(0, Math.min(block.count, rows - block.start));
			// Blocks before one that was already wholly in the history are there too.
			if (forward && before > 0 && before === block.count && block.committed === before) break;
		}
		this.#committed = rows;
		this.#release(rows);
		this.#forget();
	}

	restart(width: number, replay: boolean): number {
		this.#isPlaced = false;
		const from = replay ? this.#replayFrom(width) : this.#rewrapFrom(width);
		this.#first = this.#placed = this.#released = from;
		this.#base = 0;
		this.#gap = replay && this.#forgotten + from > 0;
		this.#width = width;
		this.#place();
		this.#committed = this.#historyEnd();
		return this.#committed;
	}

	isBehind(): boolean {
		return this.#blocks
			.slice(this.#placed)
			.some(({ component }) => isScrolled(component) && component.isBehind?.());
	}

	/** Only blocks that still change can request to be drawn again. */
	holds(wanted: Component): boolean {
		return this.#blocks.slice(this.#placed).some(({ component }) => holds(component, wanted));
	}

	/** The first row that belongs to a block. */
	get #top(): number {
		return this.#base + (this.#gap ? 1 : 0);
	}

	/** Lays out from the end, as many rows as will be shown again. */
	#replayFrom(width: number): number {
		let rows = 0;
		let at = this.#blocks.length;
		for (; at > 0 && rows < this.#replayRows; at--) {
			const block = this.#blocks[at - 1];
			block?.rewrap(width);
			rows += block?.count ?? 0;
		}
		return at;
	}

	/** Lays out only what is not in the history: the rest will never be shown at this width. */
	#rewrapFrom(width: number): number {
		const open = this.#blocks.findIndex(({ frozen, committed, count }) => !frozen || committed < count);
		const from = open < 0 ? this.#blocks.length : open;
		for (const block of this.#blocks.slice(from)) block.rewrap(width);
		return from;
	}

	#place(): void {
		let row = this.#top;
		for (const block of this.#blocks.slice(this.#first)) {
			block.start = row;
			row += block.count;
		}
	}

	/** The history contains all blocks up to a partial one, and a part of that one. */
	#historyEnd(): number {
		let end = this.#top;
		for (const block of this.#blocks.slice(this.#first)) {
			end = block.start + block.committed;
			if (block.committed < block.count) break;
		}
		return end;
	}

	#rowAfter(index: number): number {
		const block = index < this.#first ? undefined : this.#blocks[index];
		return block === undefined ? this.#top : block.start + block.count;
	}

	/** The block that contains the row, by binary search. */
	#blockAt(row: number): number {
		let [low, high] = [this.#first, this.#blocks.length];
		while (low < high) {
			const middle = (low + high) >> 1;
			const block = this.#blocks[middle];
			if (block !== undefined && block.start + block.count <= row) low = middle + 1;
			else high = middle;
		}
		return low;
	}

	#release(committed: number): void {
		this.#released = Math.max(this.#released, this.#first);
		for (; this.#released < this.#placed; this.#released++) {
			const block = this.#blocks[this.#released];
			// The last rows of the history are compared with each frame.
			if (block === undefined || block.start + block.count > committed - engineLimits.auditRows) return;
			block.release();
		}
	}

	#forget(): void {
		const gone = this.#first + engineLimits.forgetBlocks;
		const block = this.#blocks[gone];
		if (block === undefined || block.start > this.#committed - this.#keepRows) return;
		this.#blocks.splice(0, gone);
		this.#forgotten += gone;
		this.#base = block.start;
		this.#gap = false;
		this.#first = 0;
		this.#placed = Math.max(0, this.#placed - gone);
		this.#released = Math.max(0, this.#released - gone);
	}
}

function elidedRow(blocks: number): string {
	return `\x1b[2m… ${blocks} earlier ${blocks === 1 ? "entry" : "entries"} not shown\x1b[0m`;
}
