/** The position of lines and caret on the screen; only visible lines are laid out. */
import type { Position } from "./position.ts";
import type { Row } from "./wrap.ts";

/** A row on the screen: the line, and the row in it. */
export interface Spot {
	readonly line: number;
	readonly row: number;
}

export interface View {
	rows: (Row & { line: number; isLast: boolean })[];
	/** Lines above and below that are not completely visible. */
	above: number;
	below: number;
}

export type Wrap = (line: string, width: number) => readonly Row[];

export class Layout {
	readonly #wrap: Wrap;
	/** The assumed width before the first frame, for vertical motions of early keys. */
	#width = 80;
	/** Rows by the text of the line. Entries that a frame did not use are dropped with the next one. */
	#fresh = new Map<string, readonly Row[]>();
	#old = new Map<string, readonly Row[]>();
	#top: Spot = { line: 0, row: 0 };

	constructor(wrap: Wrap) {
		this.#wrap = wrap;
	}

	get width(): number {
		return this.#width;
	}

	setWidth(width: number): void {
		if (width === this.#width) return;
		this.#width = width;
		this.forget();
	}

	/** Marker labels or the width model have changed. */
	forget(): void {
		this.#fresh = new Map();
		this.#old = new Map();
	}

	rowsOf(line: string): readonly Row[] {
		const cached = this.#fresh.get(line);
		if (cached !== undefined) return cached;
		const rows = this.#old.get(line) ?? this.#wrap(line, this.#width);
		this.#fresh.set(line, rows);
		return rows;
	}

	/** The row of a position; between two rows it is the later one. */
	spotOf(lines: readonly string[], { line, col }: Position): Spot {
		const rows = this.rowsOf(lines[line] ?? "");
		let row = rows.length - 1;
		while (row > 0 && (rows[row]?.start ?? 0) > col) row--;
		return { line, row };
	}

	rowAt(lines: readonly string[], { line, row }: Spot): Row {
		return this.rowsOf(lines[line] ?? "")[row] ?? { start: 0, end: 0 };
	}

	/** Moves by this many rows; stops at the ends of the text. */
	step(lines: readonly string[], from: Spot, rows: number): Spot {
		let { line, row } = from;
		for (let left = Math.abs(rows); left > 0; left--) {
			if (rows < 0) {
				if (row > 0) row--;
				else if (line > 0) row = this.rowsOf(lines[--line] ?? "").length - 1;
				else break;
			} else if (row + 1 < this.rowsOf(lines[line] ?? "").length) row++;
			else if (line + 1 < lines.length) [line, row] = [line + 1, 0];
			else break;
		}
		return { line, row };
	}

	/** At most `height` rows including the caret, scrolled no further than needed. */
	view(lines: readonly string[], caret: Position, height: number): View {
		const spot = this.spotOf(lines, caret);
		const highest = this.step(lines, spot, 1 - height);
		const lowest = this.#lastTop(lines, height);
		// First the caret is made visible, then empty rows below the text are avoided, then the position is kept.
		let top = this.#top;
		if (compare(top, highest) < 0) top = highest;
		if (compare(top, lowest) > 0) top = lowest;
		if (compare(top, spot) > 0) top = spot;
		const line = Math.min(top.line, lines.length - 1);
		this.#top = { line, row: Math.min(top.row, this.rowsOf(lines[line] ?? "").length - 1) };
		const view = this.#collect(lines, height);
		this.#old = this.#fresh;
		this.#fresh = new Map();
		return view;
	}

	/** The top that shows the end of the text in the last row. */
	#lastTop(lines: readonly string[], height: number): Spot {
		const line = lines.length - 1;
		const end = { line, row: this.rowsOf(lines[line] ?? "").length - 1 };
		return this.step(lines, end, 1 - height);
	}

	#collect(lines: readonly string[], height: number): View {
		const rows: View["rows"] = [];
		const top = this.#top;
		let { line, row } = top;
		let below = 0;
		for (; line < lines.length; line++, row = 0) {
			const all = this.rowsOf(lines[line] ?? "");
			for (; row < all.length && rows.length < height; row++) {
				const { start, end } = all[row] ?? { start: 0, end: 0 };
				rows.push({ line, start, end, isLast: row === all.length - 1 });
			}
			if (rows.length < height) continue;
			below = lines.length - line - (row < all.length ? 0 : 1);
			break;
		}
		return { rows, above: top.line + (top.row > 0 ? 1 : 0), below };
	}
}

function compare(a: Spot, b: Spot): number {
	return a.line - b.line || a.row - b.row;
}
