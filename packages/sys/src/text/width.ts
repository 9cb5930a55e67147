/** The one width model: measuring, cutting and slicing text with terminal styles, by cells. */
import { limits } from "../limits.ts";
import { startsEscape } from "./escapes.ts";
import { Pen, StyledRow } from "./pen.ts";
import { isPlain, isSimple, needsCare, Scanner, shownText, withoutSelector } from "./scan.ts";

const tabSpaces = " ".repeat(limits.tabCells);

/** The number of cells of the text. Escape sequences and controls take none, a tab always `limits.tabCells`. */
export function visibleWidth(text: string): number {
	return isPlain(text) ? text.length : measure(text, Infinity);
}

/** Stops after `enough` cells, so that a very long line costs no more than a row. */
function measure(text: string, enough: number): number {
	if (text.length <= limits.quickChars && isSimple(text)) return Bun.stringWidth(text);
	const scanner = new Scanner(text);
	let cells = 0;
	while (cells <= enough && scanner.next()) cells += scanner.cells;
	return cells;
}

/** Cuts to at most `width` cells, ending in `ellipsis` when something was cut; `pad` fills up with spaces. */
export function truncateToWidth(text: string, width: number, ellipsis = "…", pad = false): string {
	if (!(width > 0)) return "";
	const room = Math.floor(width);
	const cut = truncated(text, room, ellipsis);
	return pad ? cut + " ".repeat(Math.max(0, room - visibleWidth(cut))) : cut;
}

function truncated(text: string, width: number, ellipsis: string): string {
	const isPlainRow = isPlain(text.length <= width ? text : text.slice(0, width + 1));
	if (isPlainRow && text.length <= width) return text;
	if (!isPlainRow && measure(text, width) <= width) return needsCare(text) ? whole(text) : text;
	const tailCells = visibleWidth(ellipsis);
	if (tailCells > width) return columns(ellipsis, 0, width, true);
	const room = width - tailCells;
	if (isPlainRow) return text.slice(0, room) + ellipsis;
	return columns(text, 0, room, true, ellipsis);
}

/** A text that fits, unchanged unless it contains tabs or an unfinished escape. */
function whole(text: string): string {
	let clean = "";
	const scanner = new Scanner(text);
	while (scanner.next()) {
		if (scanner.piece === "tab") clean += tabSpaces;
		else if (scanner.piece !== "unfinished") clean += withoutSelector(text.slice(scanner.start, scanner.end));
	}
	return clean;
}

/**
 * The cells from `start` on, `length` of them; styles that are open there are opened again and closed. A wide
 * character belongs to the slice that contains its first cell, so that adjacent slices are the whole text; `strict`
 * leaves it out where it would exceed the slice.
 */
export function sliceByColumn(text: string, start: number, length: number, strict = false): string {
	const from = Math.max(0, Math.floor(start));
	const to = Math.floor(start) + Math.floor(length);
	if (!(to > from)) return "";
	if (isPlain(text)) return text.slice(from, to);
	return columns(text, from, to, strict);
}

function columns(text: string, from: number, to: number, strict: boolean, tail = ""): string {
	const scanner = new Scanner(text);
	const pen = new Pen();
	const row = new StyledRow(pen);
	let column = 0;
	// Pieces without cells belong to the next cell; only at the end of the text to the previous one.
	let waiting = "";
	let lastCell = 0;
	let ended = true;
	while (scanner.next()) {
		const { piece, cells } = scanner;
		if (piece === "style") pen.style(text.slice(scanner.start, scanner.end));
		else if (piece === "link") pen.link(text.slice(scanner.start, scanner.end));
		else if (piece === "unfinished") continue;
		else if (cells === 0) waiting += withoutSelector(text.slice(scanner.start, scanner.end));
		else {
			const first = column;
			column += cells;
			lastCell = piece === "tab" ? column - 1 : first;
			ended = first < to && !(strict && piece !== "tab" && column > to);
			if (!ended) break;
			if (first >= from) row.write(waiting);
			if (piece === "tab" && column > from) {
				row.write(" ".repeat(Math.min(column, to) - Math.max(first, from)));
			} else if (first >= from) row.write(text.slice(scanner.start, scanner.end));
			waiting = "";
		}
	}
	if (ended && lastCell >= from && lastCell < to) row.write(waiting);
	return row.finish(tail);
}

/** Replaces each tab by the spaces that it is measured as. */
export function expandTabs(text: string): string {
	return text.includes("\t") ? text.replaceAll("\t", tabSpaces) : text;
}

/** The text without its escape sequences, finished or not. */
export function stripAnsi(text: string): string {
	if (!needsCare(text)) return text;
	let shown = "";
	const scanner = new Scanner(text);
	while (scanner.next()) {
		const { piece } = scanner;
		if (piece === "style" || piece === "link" || piece === "other" || piece === "unfinished") continue;
		const part = text.slice(scanner.start, scanner.end);
		shown += startsEscape(part.charCodeAt(0)) ? stripAnsi(shownText(part)) : withoutSelector(part);
	}
	return shown;
}
