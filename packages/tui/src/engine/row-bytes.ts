/** The fewest bytes that turn one row on the screen into another. */
import { visibleWidth } from "@tau/sys";

import type { Row } from "./row.ts";
import { inkOf, sequenceEnd, writeStyled } from "./styles.ts";

const eraseToEnd = "\x1b[K";

/** The bytes that are written from a column on, erasing included. */
export interface Change {
	column: number;
	bytes: string;
}

/** Keeping fewer cells than this is not worth moving the cursor. */
const worthMoving = 8;

/**
 * `undefined` if nothing has to be written. `old` is undefined if the content of the row is unknown.
 *
 * A row that becomes shorter is erased `first` in multiplexers: tmux remembers how much of a line was ever used, and
 * wraps the erased cells at its end too when the pane becomes narrower. Only a line that is erased as a whole is short
 * again. Elsewhere the end is erased `last`, so that no row is blank for a moment.
 */
export function changeRow(
	old: Row | undefined,
	row: Row,
	width: number,
	erase: "first" | "last" = "last",
): Change | undefined {
	if (old?.text === row.text && old.image === row.image) return undefined;
	const isShorter = old === undefined || old.cells > row.cells;
	if (erase === "first" && isShorter) return { column: 0, bytes: eraseToEnd + row.text + row.end };
	if (old === undefined) return { column: 0, bytes: row.text + row.end + erased(row, width) };
	if (old.text === "") return { column: 0, bytes: row.text + row.end };
	const same = samePrefix(old.text, row.text);
	const column = same < worthMoving ? 0 : visibleWidth(row.text.slice(0, same));
	const from = column === 0 ? 0 : same;
	const to = row.text.length - sameEnd(old, row, from);
	const part = { from: inkOf(row.text.slice(0, from)), keepSpaces: to < row.text.length };
	const whole = from === 0 && to === row.text.length;
	const { text, end } = whole ? row : writeStyled(row.text.slice(from, to), part);
	return { column, bytes: text + end + (old.cells > row.cells ? erased(row, width) : "") };
}

/** With autowrap off the cursor stays on a full row's last cell: erasing from there would erase that cell. */
function erased(row: Row, width: number): string {
	return row.cells < width ? eraseToEnd : "";
}

/** The length of the common prefix, up to a cell boundary that no combining character and no sequence crosses. */
function samePrefix(old: string, text: string): number {
	const most = Math.min(old.length, text.length);
	let at = 0;
	while (at < most && old.charCodeAt(at) === text.charCodeAt(at)) at++;
	while (at > 0 && !(isPlain(text, at - 1) && isEdge(text, at) && isEdge(old, at))) at--;
	return sequenceAround(text, at)?.start ?? at;
}

/**
 * The length of the common suffix, in the same cells and the same style, if it is worth keeping: a spinner turns
 * at the beginning of a row that stays the same.
 */
function sameEnd(old: Row, row: Row, from: number): number {
	if (old.cells !== row.cells || old.image !== row.image) return 0;
	const most = Math.min(old.text.length, row.text.length) - from;
	let length = 0;
	while (length < most && unitFromEnd(old.text, length) === unitFromEnd(row.text, length)) length++;
	const start = row.text.length - length;
	length = row.text.length - (sequenceAround(row.text, start)?.end ?? start);
	while (length > 0 && !isEdge(row.text, row.text.length - length)) length--;
	if (length < worthMoving) return 0;
	const [before, now] = [old, row].map(({ text }) => inkOf(text.slice(0, text.length - length)));
	return before?.style === now?.style && before?.link === now?.link ? length : 0;
}

function unitFromEnd(text: string, at: number): number {
	return text.charCodeAt(text.length - 1 - at);
}

/** The sequence that `at` lies in, or `undefined`. */
function sequenceAround(text: string, at: number): { start: number; end: number } | undefined {
	if (at === 0) return undefined;
	let start = text.lastIndexOf("\x1b", at - 1);
	// The end of a link's sequence begins like one.
	if (start > 0 && text[start + 1] === "\\") start = text.lastIndexOf("\x1b", start - 1);
	const end = start < 0 ? 0 : sequenceEnd(text, start);
	return end > at ? { start, end } : undefined;
}

function isPlain(text: string, at: number): boolean {
	const unit = text.charCodeAt(at);
	return unit >= 0x20 && unit < 0x7f;
}

/** True if a cell or a sequence begins here, or the row ends. */
function isEdge(text: string, at: number): boolean {
	return at >= text.length || text.charCodeAt(at) === 0x1b || isPlain(text, at);
}
