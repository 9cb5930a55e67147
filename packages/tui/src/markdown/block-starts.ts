/** Recognizes the starts and ends of blocks by single lines. */
import { unescapeText } from "./entities.ts";
import type { Align } from "./leaf.ts";

export interface HeadingStart {
	depth: number;
	text: string;
}

/** `# Title ##`; the trailing `#` are decoration. */
export function headingStart(word: string): HeadingStart | undefined {
	const signs = /^#{1,6}(?=[ \t]|$)/.exec(word)?.[0];
	if (signs === undefined) return undefined;
	const text = word.slice(signs.length).trim();
	const closing = /(?:^|[ \t])#+$/.exec(text);
	return { depth: signs.length, text: closing ? text.slice(0, closing.index).trimEnd() : text };
}

export interface Fence {
	sign: string;
	length: number;
	/** The indentation of the fence; up to as many columns are removed from each line of the code. */
	indent: number;
	info: string;
}

export function fenceStart(word: string, indent: number): Fence | undefined {
	const run = /^(?:`{3,}|~{3,})/.exec(word)?.[0];
	if (run === undefined) return undefined;
	const info = word.slice(run.length);
	const sign = run.slice(0, 1);
	// An info string with a backtick would be inline code.
	if (sign === "`" && info.includes("`")) return undefined;
	return { sign, length: run.length, indent, info: unescapeText(info.trim()) };
}

export function endsFence(word: string, { sign, length }: Fence): boolean {
	const run = word.trimEnd();
	return run.length >= length && run === sign.repeat(run.length);
}

export function isRule(word: string): boolean {
	const sign = word[0];
	if (sign !== "*" && sign !== "-" && sign !== "_") return false;
	let signs = 0;
	for (const unit of word) {
		if (unit === sign) signs++;
		else if (unit !== " " && unit !== "\t") return false;
	}
	return signs >= 3;
}

/** The level of a setext heading underline. */
export function underlineDepth(word: string): number | undefined {
	const line = word.trimEnd();
	if (/^=+$/.test(line)) return 1;
	return /^-+$/.test(line) ? 2 : undefined;
}

export interface Marker {
	ordered: boolean;
	start: number;
	sign: string;
	length: number;
}

export function listMarker(word: string): Marker | undefined {
	const match = /^(?:[-+*]|(\d{1,9})([.)]))(?=[ \t]|$)/.exec(word);
	if (match === null) return undefined;
	const [marker, number, sign] = match;
	return {
		ordered: number !== undefined,
		start: Number(number ?? 1),
		sign: sign ?? marker,
		length: marker.length,
	};
}

const delimiterCell = /^:?-+:?$/;

/** The alignments in the delimiter row of a table. */
export function tableColumns(word: string): Align[] | undefined {
	// Without a bar it may be a heading underline.
	if (!/^[-:|][-:| \t]*$/.test(word) || !/[|:]/.test(word)) return undefined;
	const cells = tableCells(word);
	if (!cells.every((cell) => delimiterCell.test(cell))) return undefined;
	return cells.map((cell) => {
		const isRight = cell.endsWith(":");
		if (cell.startsWith(":")) return isRight ? "center" : "left";
		return isRight ? "right" : undefined;
	});
}

/** The cells of a row; an escaped bar belongs to its cell. */
export function tableCells(line: string): string[] {
	const row = line.trim();
	if (!row.includes("\\")) {
		const isClosed = row.length > 1 && row.endsWith("|");
		return row
			.slice(row.startsWith("|") ? 1 : 0, isClosed ? -1 : undefined)
			.split("|")
			.map((cell) => cell.trim());
	}
	const cells: string[] = [];
	let cell = "";
	for (let at = row.startsWith("|") ? 1 : 0; at < row.length; at++) {
		const unit = row.charAt(at);
		if (unit === "\\" && row[at + 1] === "|") {
			cell += "|";
			at++;
		} else if (unit === "|") {
			cells.push(cell.trim());
			cell = "";
			if (at === row.length - 1) return cells;
		} else cell += unit;
	}
	cells.push(cell.trim());
	return cells;
}

/** Exactly as many cells as there are columns. */
export function fittedCells(line: string, columns: number): string[] {
	const cells = tableCells(line);
	return Array.from({ length: columns }, (_, at) => cells[at] ?? "");
}
