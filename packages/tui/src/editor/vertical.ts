/** Moves the caret up and down the displayed rows, and remembers the preferred column. */
import { clusters } from "./clusters.ts";
import type { TextBuffer } from "./text-buffer.ts";
import type { Layout } from "./layout.ts";
import { type MarkerCells, cellsOf, type Row } from "./wrap.ts";

export class VerticalMotion {
	readonly #buffer: TextBuffer;
	readonly #layout: Layout;
	readonly #markerCells: MarkerCells;
	/**
	 * The preferred cell, and the position after the last vertical move: if the caret is elsewhere, something else
	 * moved it, and the cell is computed again.
	 */
	#goal: { cell: number; line: number; col: number } | undefined;

	constructor(buffer: TextBuffer, layout: Layout, markerCells: MarkerCells) {
		this.#buffer = buffer;
		this.#layout = layout;
		this.#markerCells = markerCells;
	}

	/** False when there is no row in that direction. */
	move(rows: number): boolean {
		const { lines, caret } = this.#buffer;
		const { width } = this.#layout;
		const from = this.#layout.spotOf(lines, caret);
		const to = this.#layout.step(lines, from, rows);
		if (to.line === from.line && to.row === from.row) return false;
		const goal = this.#goal;
		const cell =
			goal !== undefined && goal.line === caret.line && goal.col === caret.col
				? goal.cell
				: cellOf(
						this.#buffer.line(from.line),
						this.#layout.rowAt(lines, from),
						caret.col,
						width,
						this.#markerCells,
					);
		const target = this.#layout.rowAt(lines, to);
		const text = this.#buffer.line(to.line);
		const isLast = to.row === this.#layout.rowsOf(text).length - 1;
		this.#buffer.moveTo({ line: to.line, col: colOf(text, target, cell, width, this.#markerCells, isLast) });
		this.#goal = { cell, ...this.#buffer.caret };
		return true;
	}
}

/** The cell of the caret in the row. */
function cellOf(line: string, row: Row, col: number, width: number, markerCells: MarkerCells): number {
	let cells = 0;
	for (const cluster of clusters(line.slice(row.start, Math.min(col, row.end)))) {
		cells += Math.min(width, cellsOf(cluster, markerCells));
	}
	return cells;
}

/**
 * The last column of the row that is not beyond `cell`. The end of a row belongs to the next row, unless it is the
 * last.
 */
function colOf(
	line: string,
	row: Row,
	cell: number,
	width: number,
	markerCells: MarkerCells,
	isLast: boolean,
): number {
	let cells = 0;
	let col = row.start;
	for (const cluster of clusters(line.slice(row.start, row.end))) {
		const at = row.start + cluster.index;
		cells += Math.min(width, cellsOf(cluster, markerCells));
		if (cells > cell) return at;
		col = at;
	}
	return isLast ? row.end : col;
}
