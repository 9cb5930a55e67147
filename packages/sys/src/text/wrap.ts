/** Breaks text with terminal styles into rows, by the same cells that everything else measures. */
import { limits } from "../limits.ts";
import { Pen, StyledRow } from "./pen.ts";
import { isPlain, isSimple, needsCare, Scanner, withoutSelector } from "./scan.ts";

/** A row of the source text; between two rows is the white space at which they were broken. */
type Row = { start: number; end: number };

/**
 * Rows of at most `width` cells; a wider character has a row to itself. Breaks at spaces and beside wide characters
 * if possible, else inside a word. The spaces of a break are removed, indentation stays. Styles and links are closed
 * at the end of a row and opened again in the next.
 */
export function wrapTextWithAnsi(text: string, width: number): string[] {
	const room = width >= 1 ? Math.floor(width) : 1;
	if (text.length <= room && isPlain(text)) return [text];
	// Most rows of code and of lists need no break.
	if (text.length <= limits.quickChars && isSimple(text) && Bun.stringWidth(text) <= room)
		return [paintSimple(text)];
	const rows = new RowBreaker(text, room).rows();
	if (!needsCare(text)) return rows.map(({ start, end }) => text.slice(start, end));
	return paint(text, rows);
}

/** A position where the row may end: its content stops at `end`, the next row begins at `next`, `column` cells on. */
type Opportunity = { end: number; next: number; column: number };

class RowBreaker {
	readonly #text: string;
	readonly #width: number;
	readonly #rows: Row[] = [];
	#rowStart = 0;
	/** Cells of the row so far, including spaces beyond its edge. */
	#column = 0;
	/** Where the row has to end if only spaces follow. */
	#edge: number | undefined;
	#break: Opportunity | undefined;
	/** The last visible piece; the piece after it decides whether a row may end between them. */
	#before = "";
	#beforeIsWide = false;

	constructor(text: string, width: number) {
		this.#text = text;
		this.#width = width;
	}

	rows(): Row[] {
		const scanner = new Scanner(this.#text);
		// Searched once per word: a very long one is broken in many places.
		let wordEnd = 0;
		for (;;) {
			if (scanner.end >= wordEnd) wordEnd = scanner.wordEnd;
			if (wordEnd > scanner.end && this.#takesWord(scanner.end, wordEnd)) {
				scanner.end = wordEnd;
				continue;
			}
			if (!scanner.next()) break;
			const { piece } = scanner;
			if (piece === "newline") this.#endLine(scanner.start, scanner.end);
			else if (piece === "space" || piece === "tab") this.#space(scanner);
			else if (piece === "text") this.#visible(scanner);
		}
		this.#endLine(this.#text.length, this.#text.length);
		return this.#rows;
	}

	#endLine(end: number, next: number): void {
		this.#rows.push({ start: this.#rowStart, end: Math.max(this.#rowStart, this.#edge ?? end) });
		this.#startRow(next, 0);
		this.#before = "";
		this.#beforeIsWide = false;
	}

	#startRow(start: number, column: number): void {
		this.#rowStart = start;
		this.#column = column;
		this.#edge = undefined;
		this.#break = undefined;
	}

	#space({ start, end, cells }: Scanner): void {
		if (this.#column + cells > this.#width) this.#edge ??= start;
		this.#column += cells;
		// A run of spaces is one opportunity: the content ends before the first, the next row begins after the last.
		const contentEnd = this.#before === " " ? this.#break?.end : start;
		this.#break = { end: contentEnd ?? start, next: end, column: this.#column };
		this.#before = " ";
		this.#beforeIsWide = false;
	}

	#visible({ start, end, cells }: Scanner): void {
		if (cells === 0) {
			const isBreak = this.#text[start] === "\u200b" && this.#before !== " ";
			if (isBreak) this.#break = { end, next: end, column: this.#column };
			return;
		}
		const piece = this.#text.slice(start, end);
		if (this.#mayBreakBefore(piece, cells)) this.#break = { end: start, next: start, column: this.#column };
		while (this.#column + cells > this.#width && this.#column > 0) this.#breakRow(start);
		this.#column += cells;
		this.#edge = undefined;
		this.#before = piece;
		this.#beforeIsWide = cells > 1;
	}

	/** Adds a word of characters of one cell, in the next row if need be; false if it has to be broken itself. */
	#takesWord(start: number, end: number): boolean {
		const cells = end - start;
		const opportunity = this.#break;
		if (this.#beforeIsWide || cells > this.#width) return false;
		if (this.#column + cells > this.#width) {
			const isHere = opportunity?.column === this.#column;
			if (!isHere || opportunity.end === this.#rowStart) return false;
			this.#rows.push({ start: this.#rowStart, end: opportunity.end });
			this.#startRow(opportunity.next, 0);
		}
		this.#column += cells;
		this.#edge = undefined;
		this.#before = this.#text.charAt(end - 1);
		return true;
	}

	#mayBreakBefore(piece: string, cells: number): boolean {
		if (this.#before === "" || this.#before === " ") return false;
		if (cells === 1 && !this.#beforeIsWide) return false;
		return !closesText.test(piece) && !opensText.test(this.#before);
	}

	#breakRow(at: number): void {
		const opportunity = this.#break;
		const isIndent = opportunity?.end === this.#rowStart;
		const startsWord = opportunity?.column === this.#column;
		if (opportunity === undefined || (isIndent && !startsWord && !this.#wordFits(opportunity.next))) {
			this.#rows.push({ start: this.#rowStart, end: at });
			this.#startRow(at, 0);
			return;
		}
		// Indentation is dropped if it leaves no room for a word that would fit into a row.
		if (!isIndent) this.#rows.push({ start: this.#rowStart, end: opportunity.end });
		this.#startRow(opportunity.next, this.#column - opportunity.column);
	}

	#wordFits(start: number): boolean {
		const scanner = new Scanner(this.#text);
		scanner.end = start;
		let cells = 0;
		while (cells <= this.#width && scanner.next()) {
			if (scanner.piece === "space" || scanner.piece === "tab" || scanner.piece === "newline") break;
			cells += scanner.cells;
		}
		return cells <= this.#width;
	}
}

/** Characters that must not be at the start of a row, and characters that must not be at its end. */
const closesText = /^[\p{Pe}\p{Pf}\p{Po}\u3005\u303b\u30fc\u309d\u309e\u30fd\u30fe%…]/u;
const opensText = /^[\p{Ps}\p{Pi}]/u;

/** The same as `paint` for a row of styles, links and of characters that are a cell each. */
function paintSimple(text: string): string {
	const pen = new Pen();
	const row = new StyledRow(pen);
	for (let at = 0; at < text.length;) {
		const next = text.indexOf("\x1b", at);
		if (next !== at) row.write(next < 0 ? text.slice(at) : text.slice(at, next));
		if (next < 0) break;
		at = simpleEnd(text, next);
		const sequence = text.slice(next, at);
		if (text[next + 1] === "[") pen.style(sequence);
		else pen.link(sequence);
	}
	return row.finish();
}

/** The end of a style or link. */
function simpleEnd(text: string, start: number): number {
	if (text[start + 1] === "[") return text.indexOf("m", start) + 1;
	const end = text.indexOf("\x1b", start + 1);
	const bell = text.indexOf("\x07", start);
	return bell >= 0 && (end < 0 || bell < end) ? bell + 1 : end + 2;
}

function paint(text: string, rows: readonly Row[]): string[] {
	const painted: string[] = [];
	const pen = new Pen();
	let line = new StyledRow(pen);
	let index = 0;
	const scanner = new Scanner(text);
	for (;;) {
		const following = rows[index + 1];
		if (following !== undefined && scanner.end >= following.start) {
			painted.push(line.finish());
			line = new StyledRow(pen);
			index++;
			continue;
		}
		const row = rows[index];
		const from = scanner.end;
		const runEnd = Math.min(scanner.runEnd, following?.start ?? text.length);
		if (runEnd > from) {
			scanner.end = runEnd;
			const run = row && text.slice(Math.max(from, row.start), Math.min(runEnd, row.end));
			if (run) line.write(run);
			continue;
		}
		if (!scanner.next()) break;
		const { piece, start, end } = scanner;
		const isInside = row !== undefined && start >= row.start && start < row.end;
		if (piece === "style") pen.style(text.slice(start, end));
		else if (piece === "link") pen.link(text.slice(start, end));
		else if (piece === "other") line.writeBare(text.slice(start, end));
		else if (piece === "tab" && isInside) line.write(" ".repeat(limits.tabCells));
		else if (piece !== "unfinished" && isInside) line.write(withoutSelector(text.slice(start, end)));
	}
	painted.push(line.finish());
	while (painted.length < rows.length) painted.push("");
	return painted;
}
