/** The content of our region of the terminal's screen, and the bytes that change it. */
import { changeRow } from "./row-bytes.ts";
import { blankRow, type Row } from "./row.ts";

/** Rewriting fewer rows than this is as cheap as moving them. */
const worthInserting = 2;

/** A row that ends like the one before it by so many characters is moved, and not written again as a whole. */
const keptEnd = 12;

const noRows: ReadonlySet<number> = new Set();

/** Up to this many rows down, line feeds are as short as a sequence. */
const shortFall = 3;

export interface Caret {
	/** The row of the region, from its top. */
	row: number;
	column: number;
}

/**
 * The region begins at the row of the cursor when it was opened, wherever that is on the screen, and the cursor moves
 * only by relative moves and line feeds. So its position need not be known: a line feed at the bottom pushes out first
 * the rows that were there before, and then exactly our own first rows.
 */
export class Screen {
	readonly #isMultiplexer: () => boolean;
	/** `undefined` for a row of ours whose content is unknown. */
	#painted: (Row | undefined)[] = [];
	/** The number of rows of the region that exist on the screen, including blank ones at its end. */
	#depth = 1;
	#row = 0;
	/** -1 if it is unknown. */
	#column = -1;
	/** True if the region contains unknown rows, and perhaps more below it. */
	#erase = false;

	constructor(isMultiplexer: () => boolean) {
		this.#isMultiplexer = isMultiplexer;
	}

	/** Starts a new, empty region at the cursor. */
	open(): void {
		this.#painted = [];
		this.#depth = 1;
		this.#row = 0;
		this.#column = -1;
		this.#erase = false;
	}

	/** Makes the next frame write everything again, in place. */
	forget(): void {
		this.#painted = Array.from({ length: this.#depth }, () => undefined);
	}

	/**
	 * Call when the terminal was resized without being cleared: it has wrapped rows that became too long and pushed
	 * rows out through its top, so that the cursor keeps its position in the text.
	 */
	resized(width: number, height: number, cursorRow?: number): number {
		let above = 0;
		for (let row = 0; row < this.#row; row++) above += wrapped(this.#painted[row], width);
		above += Math.floor(Math.max(0, this.#column) / Math.max(1, width));
		const gone = cursorRow === undefined ? 0 : this.#dropPushed(above - cursorRow, width);
		for (const row of this.#painted.splice(0, gone)) above -= wrapped(row, width);
		this.#row = Math.min(above, height - 1);
		this.#column = -1;
		// What is below the cursor may have been cut off.
		this.#depth = this.#row + 1;
		this.#erase = true;
		return gone;
	}

	/** What is above the cursor is unknown: the region starts where it is. */
	lose(): void {
		this.open();
		this.#erase = true;
	}

	/** The rows at the top, at least in part, that `pushed` rows of the terminal hold. */
	#dropPushed(pushed: number, width: number): number {
		let [gone, rows] = [0, 0];
		while (gone < this.#row && rows < pushed) rows += wrapped(this.#painted[gone++], width);
		return gone;
	}

	/**
	 * Makes the region show `rows` from its top on; more rows than the screen is high leave through its top, the
	 * first ones first. Returns the bytes, without the sequences for synchronized output.
	 */
	draw(rows: readonly Row[], width: number, height: number): string {
		const foot = this.#standingFoot(rows, height);
		if (foot === 0) return this.#drawOnce(rows, width, height);
		const room = height - foot;
		let bytes = "";
		let gone = 0;
		for (let end = room; end < rows.length - foot; end += room) {
			bytes += this.#drawOnce([...rows.slice(gone, end), ...rows.slice(-foot)], width, height);
			gone = end - room;
		}
		return bytes + this.#drawOnce(rows.slice(gone), width, height);
	}

	/**
	 * The number of rows at the end that are on the screen already (the editor and the footer), if so many rows are
	 * added at once that some leave without ever being visible. These are added by screenfuls, so that the rows at the
	 * end are moved down each time and not written again. 0 if that saves nothing.
	 */
	#standingFoot(rows: readonly Row[], height: number): number {
		const foot = this.#sameAtEnd(rows, Math.min(this.#painted.length, rows.length, height - 1));
		const comesIn = rows.length - height > this.#painted.length - foot;
		return foot < worthInserting || !comesIn || this.#hasImages(rows) ? 0 : foot;
	}

	/** Whether an image is on the screen, or will be: only then its rows need care. */
	#hasImages(rows: readonly Row[]): boolean {
		return hasImages(rows) || hasImages(this.#painted);
	}

	#sameAtEnd(rows: readonly Row[], most: number): number {
		let same = 0;
		while (same < most && this.#painted.at(-1 - same)?.text === rows.at(-1 - same)?.text) same++;
		return same;
	}

	#drawOnce(rows: readonly Row[], width: number, height: number): string {
		const pictured = this.#hasImages(rows);
		let bytes = pictured ? this.#removeImages(rows) : "";
		if (this.#erase) bytes += this.#eraseRegion();
		if (!pictured) bytes += this.#makeRoom(rows, height);
		const requested = Math.max(rows.length, this.#painted.length);
		const touched = pictured ? imagesTouched(rows, this.#painted) : noRows;
		const erase = this.#isMultiplexer() ? "first" : "last";
		for (let at = 0; at < requested; at++) {
			const row = rows[at] ?? blankRow;
			const known = at < this.#painted.length ? this.#painted[at] : blankRow;
			const change = changeRow(touched.has(at) ? undefined : known, row, width, erase);
			// Blank rows come into being on the way to the next one that is not, or to the last.
			if (change === undefined && (at < this.#depth || at !== rows.length - 1)) continue;
			bytes += this.#moveTo(at, change?.column ?? 0);
			if (change === undefined) continue;
			bytes += change.bytes;
			if (row.image !== undefined && row.image.rows <= Math.min(at + 1, height)) bytes += row.image.draw();
			this.#column = -1;
		}
		this.#settle(rows, height);
		return bytes;
	}

	/** Moves the cursor to the caret, or to the end of the content. */
	park(caret: Caret | undefined): string {
		const last = Math.max(0, this.#painted.length - 1);
		return this.#moveTo(Math.min(caret?.row ?? last, last), caret?.column ?? 0);
	}

	/** Moves the cursor to a new line below everything, for the next program. */
	leave(): string {
		const bytes = this.#moveTo(Math.max(0, this.#painted.length - 1), 0);
		return this.#painted.length > 0 ? `${bytes}\r\n` : bytes;
	}

	/** From its second cell on: erased from the screen's first, tmux puts the whole screen into its history. */
	#eraseRegion(): string {
		const bytes = `${this.#moveTo(0, 0)}\x1b[C\x1b[J\r\x1b[K`;
		this.open();
		this.#column = 0;
		return bytes;
	}

	/**
	 * Content that grows moves the editor and the footer below it down: the terminal does that itself
	 * when lines are inserted, and they are not written again.
	 */
	#makeRoom(rows: readonly Row[], height: number): string {
		const old = this.#painted.length;
		const added = rows.length - old;
		const gone = Math.max(0, rows.length - height);
		if (added < 1 || !this.#isShown(rows, gone)) return "";
		const foot = this.#sameAtEnd(rows, old - gone);
		if (foot < worthInserting) return "";
		let same = foot;
		while (same < old - gone && isSimilar(this.#painted.at(-1 - same), rows.at(-1 - same))) same++;
		const at = old - same;
		// The lines are created first, so that only blank rows are pushed out at the bottom of the screen.
		const bytes = `${this.#moveTo(rows.length - 1, 0)}${this.#moveTo(at, 0)}\x1b[${times(added)}L`;
		this.#painted.splice(at, 0, ...Array.from({ length: added }, () => blankRow));
		return bytes;
	}

	/** Rows that are about to leave through the top cannot be changed any more. */
	#isShown(rows: readonly Row[], count: number): boolean {
		return rows.slice(0, count).every(({ text }, at) => this.#painted[at]?.text === text);
	}

	/** Rows that a picture covered and does not cover any more are written again, whatever their text is. */
	#removeImages(rows: readonly Row[]): string {
		let bytes = "";
		for (const [at, row] of this.#painted.entries()) {
			if (row?.image === undefined || rows[at]?.image === row.image) continue;
			bytes += row.image.remove();
			this.#painted.fill(undefined, Math.max(0, at - row.image.rows + 1), at + 1);
		}
		return bytes;
	}

	/** Rows that left through the top are no longer ours. */
	#settle(rows: readonly Row[], height: number): void {
		const gone = Math.max(0, rows.length - height);
		const painted = rows.slice(gone);
		while (painted.length > 0 && painted.at(-1) === blankRow) painted.pop();
		this.#painted = painted;
		this.#depth = Math.min(height, Math.max(this.#depth, rows.length));
		this.#row = Math.max(0, this.#row - gone);
	}

	#moveTo(row: number, column: number): string {
		let bytes = "";
		if (row >= this.#depth && row > this.#row) {
			// Only a line feed creates a new row, and it must start from the last existing one.
			const last = this.#depth - 1;
			if (last > this.#row) bytes += `\x1b[${times(last - this.#row)}B`;
			bytes += `\r${"\n".repeat(row - Math.max(last, this.#row))}`;
			this.#row = row;
			this.#column = 0;
			this.#depth = row + 1;
		} else if (row !== this.#row) {
			const by = row - this.#row;
			this.#row = row;
			// An existing row can be reached by a line feed, which scrolls only at the bottom of the screen.
			if (by > 0 && by <= shortFall && column === 0) {
				this.#column = 0;
				return `\r${"\n".repeat(by)}`;
			}
			bytes += by > 0 ? `\x1b[${times(by)}B` : `\x1b[${times(-by)}A`;
		}
		if (this.#column === column) return bytes;
		this.#column = column;
		return column === 0 ? `${bytes}\r` : `${bytes}\x1b[${column + 1}G`;
	}
}

/** Whether the row is worth moving with those below, although a part of it is written again: its spinner has turned. */
function isSimilar(old: Row | undefined, row: Row | undefined): boolean {
	if (old?.text === row?.text) return true;
	return old?.cells === row?.cells && old?.text.slice(-keptEnd) === row?.text.slice(-keptEnd);
}

/** One is the default of a sequence and can be omitted. */
function times(count: number): string {
	return count === 1 ? "" : String(count);
}

function hasImages(rows: readonly (Row | undefined)[]): boolean {
	for (const row of rows) if (row?.image !== undefined) return true;
	return false;
}

/** Rows on the screen that a painted row takes at this width. */
function wrapped(row: Row | undefined, width: number): number {
	return Math.max(1, Math.ceil((row?.cells ?? 0) / Math.max(1, width)));
}

/** A write to any row of an image damages it, so its last row, which draws it, is written as well. */
function imagesTouched(rows: readonly Row[], painted: readonly (Row | undefined)[]): Set<number> {
	const touched = new Set<number>();
	for (const [at, { image }] of rows.entries()) {
		if (image === undefined) continue;
		for (let row = Math.max(0, at - image.rows + 1); row <= at; row++) {
			const known = row < painted.length ? painted[row] : blankRow;
			if (known === undefined || known.text !== rows[row]?.text || (row === at && known.image !== image)) {
				touched.add(at);
			}
		}
	}
	return touched;
}
