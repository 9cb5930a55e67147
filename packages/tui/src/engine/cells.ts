/** Cuts and slices rows exactly at cells, even if a wide character crosses the edge. */
import { sliceByColumn, visibleWidth } from "@tau/sys";

/** At most `width` cells; a character that does not fit as a whole is left out. */
export function cutCells(text: string, width: number): string {
	if (visibleWidth(text) <= width) return text;
	// A cut may keep a character that crosses the edge, with its combining marks.
	for (let room = width; room > 0; room--) {
		const cut = sliceByColumn(text, 0, room);
		if (visibleWidth(cut) <= width) return cut;
	}
	return "";
}

/** The cells from `start` on; a wide character that `start` cuts in two becomes a space. */
function cellsFrom(text: string, start: number): string {
	const width = visibleWidth(text);
	if (start >= width) return "";
	const requested = width - start;
	const rest = sliceByColumn(text, start, requested);
	const got = visibleWidth(rest);
	if (got === requested) return rest;
	if (got < requested) return " ".repeat(requested - got) + rest;
	return ` ${sliceByColumn(text, start + 1, requested - 1)}`;
}

/** `over` laid on `base` from column `at` on, `width` cells of it. */
export function layOver(base: string, over: string, at: number, width: number): string {
	return (
		fitCells(base, at) +
		plainAfter(base) +
		fitCells(over, width) +
		plainAfter(over) +
		cellsFrom(base, at + width)
	);
}

/** The sequences that end the styles and links of a text. */
function plainAfter(text: string): string {
	if (!text.includes("\x1b")) return "";
	return text.includes("\x1b]8;") ? "\x1b[0m\x1b]8;;\x1b\\" : "\x1b[0m";
}

/** Exactly `width` cells: cut, or filled up with spaces. */
function fitCells(text: string, width: number): string {
	const cut = cutCells(text, width);
	return cut + " ".repeat(Math.max(0, width - visibleWidth(cut)));
}
