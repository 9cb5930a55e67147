/** Rows that are exact to the cell, for components that put others side by side or behind a frame. */
import { oneRow, sliceByColumn, truncateToWidth, visibleWidth } from "../text.ts";
import { limits } from "./limits.ts";

/** Exactly `width` cells; styles that the row leaves open end with it, so that they do not run into its neighbour. */
export function filled(row: string, width: number): string {
	const cut = truncateToWidth(row, width);
	const closed = cut.includes("\x1b") ? sliceByColumn(cut, 0, width, true) : cut;
	return closed + spaces(width - visibleWidth(closed));
}

export function spaces(count: number): string {
	return " ".repeat(cells(count));
}

/** A number of cells or rows, whatever an untyped caller gave. */
export function cells(count: number): number {
	return count > 0 ? Math.floor(Math.min(count, Number.MAX_SAFE_INTEGER)) : 0;
}

/** The name of something, for a place that has one row. */
export function labelOf(text: string): string {
	return oneRow(text.length > limits.labelChars ? text.slice(0, limits.labelChars) : text);
}

/** The widest of many names, as far as it matters. */
export function widestLabel(labels: Iterable<string>, most: number): number {
	let widest = 0;
	for (const label of labels) {
		widest = Math.max(widest, visibleWidth(labelOf(label)));
		if (widest >= most) return most;
	}
	return widest;
}
