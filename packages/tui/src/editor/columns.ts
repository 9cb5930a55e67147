/** From a column in the text to the cell on the screen and back, within one row. */
import { clusters } from "./clusters.ts";
import { cellsOf, type MarkerCells, type Row } from "./wrap.ts";

/** The cell at which the caret stands in the row. */
export function cellOf(line: string, row: Row, col: number, width: number, markerCells: MarkerCells): number {
	let cells = 0;
	for (const cluster of clusters(line.slice(row.start, Math.min(col, row.end)))) {
		cells += Math.min(width, cellsOf(cluster, markerCells));
	}
	return cells;
}

/** The last place of the row that is not beyond `cell`. The end of a row belongs to the next, unless it is the last. */
export function colOf(
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
