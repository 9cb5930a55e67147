/** Draws one row of text: markers as their labels, the selection, the caret. */
import { truncateToWidth } from "@tau/sys";

import { CURSOR_MARKER } from "../component.ts";
import { clusters } from "./clusters.ts";
import { cellsOf, type MarkerCells, type Row } from "./wrap.ts";

export interface RowStyle {
	width: number;
	markerCells: MarkerCells;
	/** The label of a marker. */
	label: (unit: string) => string;
	isFocused: boolean;
}

/** The columns of the caret and of the selection; undefined when they are in other rows. */
export interface RowMarks {
	caret?: number | undefined;
	selected?: { from: number; to: number } | undefined;
}

const inverse = (text: string): string => `\x1b[7m${text}\x1b[27m`;

/** `cells` counts the drawn cells; the caret after a full row takes one more than the width. */
export function drawRow(
	line: string,
	row: Row,
	marks: RowMarks,
	style: RowStyle,
): { text: string; cells: number } {
	const text = line.slice(row.start, row.end);
	if (marks.caret === undefined && marks.selected === undefined && /^[\x20-\x7e]*$/.test(text)) {
		const shown = text.slice(0, style.width);
		return { text: shown, cells: shown.length };
	}
	let out = "";
	let cells = 0;
	let isDue = false;
	let isDrawn = marks.caret === undefined;
	for (const cluster of clusters(text)) {
		const col = row.start + cluster.index;
		isDue ||= !isDrawn && col === marks.caret;
		const clusterCells = cellsOf(cluster, style.markerCells);
		const wide = Math.min(clusterCells, style.width);
		// A space beyond the edge is drawn only as the caret.
		if (cells + wide > style.width) break;
		const drawn = drawCluster(cluster.text, clusterCells, style);
		// A caret on a character without a cell would be invisible: it moves to the next.
		if (isDue && wide > 0) {
			out += caretOn(drawn, style.isFocused);
			[isDue, isDrawn] = [false, true];
		} else out += isSelected(col, marks) ? inverse(drawn) : drawn;
		cells += wide;
	}
	return isDrawn ? { text: out, cells } : { text: out + caretOn(" ", style.isFocused), cells: cells + 1 };
}

function isSelected(col: number, { selected }: RowMarks): boolean {
	return selected !== undefined && col >= selected.from && col < selected.to;
}

function caretOn(text: string, isFocused: boolean): string {
	return (isFocused ? CURSOR_MARKER : "") + inverse(text);
}

/** A cluster that is wider than the whole row is cut, or shown as a dot if not even that fits. */
function drawCluster(text: string, cells: number, { width, label }: RowStyle): string {
	const shown = /^\p{Cs}$/u.test(text) ? label(text) : text;
	if (cells <= width) return shown;
	return shown === text ? "·".repeat(width) : truncateToWidth(shown, width);
}
