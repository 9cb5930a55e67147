/** The fewest bytes that turn one row on the screen into another. */
import { visibleWidth } from "@tau/sys";

import { cellsFrom } from "./cells.ts";
import type { Row } from "./row.ts";

const reset = "\x1b[0m";
const endLink = "\x1b]8;;\x1b\\";
const eraseToEnd = "\x1b[K";

/** What is written from a column on; erasing is part of it. */
export interface Change {
	column: number;
	bytes: string;
}

/** Less than this is not worth moving the cursor for. */
const worthMoving = 8;

/** `undefined` when nothing is to be written. `old` is undefined when nobody knows what stands there. */
export function changeRow(old: Row | undefined, row: Row, width: number): Change | undefined {
	if (old !== undefined && old.text === row.text && old.image === row.image) return undefined;
	const same = old === undefined ? 0 : samePrefix(old.text, row.text);
	const prefix = row.text.slice(0, same);
	const column = same < worthMoving ? 0 : visibleWidth(prefix);
	const text = column === 0 ? row.text : rest(row.text, prefix, column);
	const erase = old === undefined || old.cells > row.cells;
	// With autowrap off the cursor stays on a full row's last cell: erasing from there would take that cell away.
	const end = erase && row.cells < width ? eraseToEnd : "";
	return { column, bytes: closed(text) + end };
}

function rest(text: string, prefix: string, column: number): string {
	return prefix.includes("\x1b") ? cellsFrom(text, column) : text.slice(prefix.length);
}

/** Styles and links end with their row. */
function closed(text: string): string {
	if (!text.includes("\x1b")) return text;
	const link = text.includes("\x1b]8;") ? endLink : "";
	return text.endsWith(reset) ? text + link : text + reset + link;
}

/** Units that both rows begin with, ended between two cells that no combining character and no sequence crosses. */
function samePrefix(old: string, text: string): number {
	const most = Math.min(old.length, text.length);
	let at = 0;
	while (at < most && old.charCodeAt(at) === text.charCodeAt(at)) at++;
	const start = at === 0 ? -1 : text.lastIndexOf("\x1b", at - 1);
	if (start >= 0 && sequenceEnd(text, start) > at) at = start;
	while (at > 0 && !(isPlain(text, at - 1) && isEdge(text, at) && isEdge(old, at))) at--;
	return at;
}

/** Rows hold colours (`ESC [ … m`) and links (`ESC ] … BEL` or `ST`) only. */
function sequenceEnd(text: string, start: number): number {
	if (text[start + 1] === "[") return endOf(text.indexOf("m", start), 1);
	if (text[start + 1] !== "]") return start + 2;
	const bell = endOf(text.indexOf("\x07", start), 1);
	return Math.min(bell, endOf(text.indexOf("\x1b\\", start), 2));
}

function endOf(found: number, length: number): number {
	return found < 0 ? Number.POSITIVE_INFINITY : found + length;
}

function isPlain(text: string, at: number): boolean {
	const unit = text.charCodeAt(at);
	return unit >= 0x20 && unit < 0x7f;
}

function isEdge(text: string, at: number): boolean {
	return at >= text.length || text.charCodeAt(at) === 0x1b || isPlain(text, at);
}
