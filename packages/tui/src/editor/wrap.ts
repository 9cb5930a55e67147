/** Breaks one line into its displayed rows. */
import { clusters } from "./clusters.ts";

/** A part of a line, in UTF-16 units. One space at its end may extend beyond the edge, where it is not drawn. */
export interface Row {
	readonly start: number;
	readonly end: number;
}

/** The cells of a marker's label. */
export type MarkerCells = (unit: string) => number;

/** At least one row. Breaks after spaces and around wide characters if possible, elsewhere if necessary. */
export function wrapLine(line: string, width: number, markerCells: MarkerCells): Row[] {
	return /^[\x20-\x7e]*$/.test(line) ? wrapAscii(line, width) : wrapClusters(line, width, markerCells);
}

function wrapAscii(line: string, width: number): Row[] {
	const rows: Row[] = [];
	let start = 0;
	while (line.length - start > width) {
		const space = line.lastIndexOf(" ", start + width);
		const end = space >= start ? space + 1 : start + width;
		rows.push({ start, end });
		start = end;
	}
	// Also after a space beyond the edge at the very end: the caret continues there.
	rows.push({ start, end: line.length });
	return rows;
}

function wrapClusters(line: string, width: number, markerCells: MarkerCells): Row[] {
	const rows: Row[] = [];
	let start = 0;
	let cells = 0;
	/** The last position where the row may end, and the cells after it. */
	let opening = 0;
	let beyond = 0;
	const breakAt = (end: number, rest: number): void => {
		rows.push({ start, end });
		start = opening = end;
		cells = beyond = rest;
	};
	for (const cluster of clusters(line)) {
		const wide = Math.min(width, cellsOf(cluster, markerCells));
		const end = cluster.index + cluster.text.length;
		const isSpace = cluster.text === " ";
		if (wide > 1 && cluster.index > start) [opening, beyond] = [cluster.index, 0];
		if (isSpace && cells === width) {
			breakAt(end, 0);
			continue;
		}
		if (cells + wide > width && opening > start) breakAt(opening, beyond);
		// The rest after that break and a marker may still not fit together.
		if (cells + wide > width) breakAt(cluster.index, 0);
		cells += wide;
		beyond += wide;
		if (isSpace || wide > 1) [opening, beyond] = [end, 0];
	}
	rows.push({ start, end: line.length });
	return rows;
}

/** Markers know their own width; everything else is measured with the text. */
export function cellsOf(cluster: { text: string; cells: number }, markerCells: MarkerCells): number {
	return /^\p{Cs}$/u.test(cluster.text) ? markerCells(cluster.text) : cluster.cells;
}
