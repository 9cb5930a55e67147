/** Draws one row of text: markers as their labels, the selection, the caret. */
import { truncateToWidth } from "@tau/sys";

import { CURSOR_MARKER } from "../component.ts";
import { clusters } from "./clusters.ts";
import { cellsOf, type MarkerCells, type Row } from "./wrap.ts";

export interface RowStyle {
	width: number;
	markerCells: MarkerCells;
	/** What a marker looks like. */
	label: (unit: string) => string;
	isFocused: boolean;
}

/** Columns of the line that the caret stands at and that are selected; nothing when they are in other rows. */
export interface RowMarks {
	caret?: number | undefined;
	selected?: { from: number; to: number } | undefined;
}

const inverse = (text: string): string => `\x1b[7m${text}\x1b[27m`;

/** `cells` counts what is drawn; the caret behind a full row takes one more than the width. */
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
		const taken = cellsOf(cluster, style.markerCells);
		const wide = Math.min(taken, style.width);
		// The space that hangs over the edge is drawn only as the caret.
		if (cells + wide > style.width) break;
		const drawn = drawCluster(cluster.text, taken, style);
		// A caret on something without a cell of its own would not be seen: it goes to the next.
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

/** What is wider than the whole row is cut, or stands as a dot where not even that fits. */
function drawCluster(text: string, cells: number, { width, label }: RowStyle): string {
	const shown = /^\p{Cs}$/u.test(text) ? label(text) : text;
	if (cells <= width) return shown;
	return shown === text ? "·".repeat(width) : truncateToWidth(shown, width);
}
