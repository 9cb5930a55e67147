/** Rows of exact width, for components that put others side by side or inside a frame. */
import { oneRow, sliceByColumn, truncateToWidth, visibleWidth } from "../text.ts";
import { limits } from "./limits.ts";

/** Exactly `width` cells; styles that the row leaves open are closed, so that they do not affect its neighbor. */
export function filled(row: string, width: number): string {
	const cut = truncateToWidth(row, width);
	const closed = cut.includes("\x1b") ? sliceByColumn(cut, 0, width, true) : cut;
	return closed + spaces(width - visibleWidth(closed));
}

export function spaces(count: number): string {
	return " ".repeat(cells(count));
}

/** A valid number of cells or rows, for untyped callers. */
export function cells(count: number): number {
	return count > 0 ? Math.floor(Math.min(count, Number.MAX_SAFE_INTEGER)) : 0;
}

/** A label for a single row. */
export function labelOf(text: string): string {
	return oneRow(text.length > limits.labelChars ? text.slice(0, limits.labelChars) : text);
}

/** The widest of many labels, up to the maximum that matters. */
export function widestLabel(labels: Iterable<string>, most: number): number {
	let widest = 0;
	for (const label of labels) {
		widest = Math.max(widest, visibleWidth(labelOf(label)));
		if (widest >= most) return most;
	}
	return widest;
}
