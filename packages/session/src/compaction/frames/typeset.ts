/** Sets text in the cells of frames: characters with their ink, in rows and pages. */
import { hasGlyph, type Font } from "./font.ts";
import { stopwords, type Shape } from "./shape.ts";

/** A part of the history; what tools returned is printed in gray, so that the conversation stands out. */
export interface Passage {
	text: string;
	isDim: boolean;
}

/** Characters and their inks: 0 is black, 1 is gray, the others are hues. An object for each would take most of the time. */
export interface Cells {
	codes: Uint32Array;
	inks: Uint8Array;
}

/** A part of the cells. */
export interface Row {
	start: number;
	end: number;
}

/** The rows of a frame, column after column. */
export interface Page {
	cells: Cells;
	rows: readonly Row[];
}

const inks = { black: 0, gray: 1, firstHue: 2, hues: 4 } as const;

/** Stands for a line break: one character, which all fonts have. */
const lineBreak = "¶";

export interface Typeset {
	pages: Page[];
	/** Characters, and those among them without a glyph. */
	chars: number;
	unknown: number;
}

export function typeset(passages: readonly Passage[], shape: Shape, font: Font): Typeset {
	const { cells, length } = inked(passages, shape);
	const rows = shape.columns === 1 ? cutRows(length, shape.chars) : wrapRows(cells, length, shape.chars);
	const perPage = shape.rows * shape.columns;
	const pages: Page[] = [];
	for (let at = 0; at < rows.length; at += perPage) pages.push({ cells, rows: rows.slice(at, at + perPage) });
	return { pages, chars: length, unknown: unknownIn(cells.codes.subarray(0, length), font) };
}

function unknownIn(codes: Uint32Array, font: Font): number {
	/** How often each character of the basic plane occurs: a lookup for each would take longer than setting the text. */
	const counts = new Uint32Array(0x10000);
	let unknown = 0;
	for (const code of codes)
		if (code < counts.length) counts[code] = (counts[code] ?? 0) + 1;
		else if (!hasGlyph(code, font)) unknown++;
	for (const [code, count] of counts.entries()) if (count > 0 && !hasGlyph(code, font)) unknown += count;
	return unknown;
}

/** The text of pages, with its line breaks. */
export function textOfPages(pages: readonly Page[]): string {
	const text = pages
		.flatMap(({ cells, rows }) => rows.map(({ start, end }) => textOf(cells, start, end)))
		.join("");
	return text.replaceAll(lineBreak, "\n").trim();
}

function textOf({ codes }: Cells, start: number, end: number): string {
	return String.fromCodePoint(...codes.subarray(start, end));
}

/** One character for each run of blanks: space costs as much as text. */
export function collapsed(text: string): string {
	return text
		.toWellFormed()
		.normalize("NFC")
		.trim()
		.replaceAll(/\s+/g, (blanks) => (blanks.includes("\n") ? lineBreak : " "));
}

const codeOf = (char: string): number => char.codePointAt(0) ?? 0;
const breakCode = codeOf(lineBreak);
const space = codeOf(" ");
const sentenceEnds: ReadonlySet<number> = new Set([".", "!", "?", lineBreak].map(codeOf));
const longestStopword = Math.max(...[...stopwords].map(({ length }) => length));

/** What words consist of, for ASCII; other characters are looked up. */
const asciiWord = Uint8Array.from({ length: 128 }, (_, code) =>
	/\w/.test(String.fromCodePoint(code)) ? 1 : 0,
);

function isWordCode(code: number): boolean {
	return code < 128 ? asciiWord[code] === 1 : /[\p{L}\p{N}]/u.test(String.fromCodePoint(code));
}

function inked(passages: readonly Passage[], shape: Shape): { cells: Cells; length: number } {
	const texts = passages.map(({ text }) => collapsed(text));
	const inker = new Inker(
		shape,
		texts.reduce((sum, { length }) => sum + length + 1, 0),
	);
	for (const [index, text] of texts.entries()) inker.add(text, passages[index]?.isDim ?? false);
	return inker;
}

class Inker {
	readonly cells: Cells;
	length = 0;
	readonly #shape: Shape;
	#sentence = 0;

	constructor(shape: Shape, most: number) {
		this.#shape = shape;
		this.cells = { codes: new Uint32Array(most), inks: new Uint8Array(most) };
	}

	add(text: string, isDim: boolean): void {
		let wordStart = 0;
		for (let at = 0; at < text.length; at++) {
			const code = text.codePointAt(at) ?? 0;
			if (!isWordCode(code)) {
				if (wordStart < at) this.#addWord(text.slice(wordStart, at), isDim);
				this.#addMark(code, isDim);
				wordStart = at + (code > 0xffff ? 2 : 1);
			}
			if (code > 0xffff) at++;
		}
		if (wordStart < text.length) this.#addWord(text.slice(wordStart), isDim);
		this.#addMark(breakCode, isDim);
	}

	#addWord(word: string, isDim: boolean): void {
		const { codes, inks: all } = this.cells;
		const ink = isDim || this.#isFiller(word) ? inks.gray : this.#ink();
		for (let at = 0; at < word.length; at++) {
			const code = word.codePointAt(at) ?? 0;
			if (code > 0xffff) at++;
			all[this.length] = ink;
			codes[this.length++] = code;
		}
	}

	#addMark(code: number, isDim: boolean): void {
		this.cells.inks[this.length] = isDim ? inks.gray : this.#ink();
		this.cells.codes[this.length++] = code;
		if (sentenceEnds.has(code)) this.#sentence++;
	}

	#isFiller(word: string): boolean {
		return this.#shape.dims && word.length <= longestStopword && stopwords.has(word.toLowerCase());
	}

	#ink(): number {
		return this.#shape.hues ? inks.firstHue + (this.#sentence % inks.hues) : inks.black;
	}
}

function cutRows(length: number, chars: number): Row[] {
	const rows: Row[] = [];
	for (let start = 0; start < length; start += chars)
		rows.push({ start, end: Math.min(start + chars, length) });
	return rows;
}

/** Breaks after spaces; one at the end of a full row is beyond it, where nothing is drawn. A longer word is cut. */
function wrapRows({ codes }: Cells, length: number, chars: number): Row[] {
	const rows: Row[] = [];
	for (let start = 0; start < length;) {
		const full = Math.min(start + chars, length);
		let end = full < length && codes[full] === space ? full + 1 : full;
		if (end === full && full < length) {
			while (end > start && codes[end - 1] !== space) end--;
			if (end === start) end = full;
		}
		rows.push({ start, end });
		start = end;
	}
	return rows;
}
