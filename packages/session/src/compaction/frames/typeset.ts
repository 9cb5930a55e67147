/** Sets text in the cells of frames: characters with their ink, in rows and pages. */
import { hasGlyph, type Font } from "./font.ts";
import { stopwords, type Shape } from "./shape.ts";

/** A part of the history; what tools returned is printed in gray, so that the conversation stands out. */
export interface Passage {
	text: string;
	isDim: boolean;
}

/** A character and its ink: 0 is black, 1 is gray, the others are hues. */
export interface Cell {
	char: string;
	ink: number;
}

export type Row = readonly Cell[];

/** The rows of a frame, column after column. */
export type Page = readonly Row[];

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
	const inker = new Inker(shape);
	const inked = passages.flatMap((passage) => inker.cellsOf(passage));
	const rows = shape.columns === 1 ? cutRows(inked, shape.chars) : wrapRows(inked, shape.chars);
	const perPage = shape.rows * shape.columns;
	const pages: Page[] = [];
	for (let at = 0; at < rows.length; at += perPage) pages.push(rows.slice(at, at + perPage));
	return { pages, chars: inked.length, unknown: inked.filter(({ char }) => !hasGlyph(char, font)).length };
}

/** The text of pages, with its line breaks. */
export function textOfPages(pages: readonly Page[]): string {
	const text = pages.map((page) => page.map((row) => row.map(({ char }) => char).join("")).join("")).join("");
	return text.replaceAll(lineBreak, "\n").trim();
}

/** One character for each run of blanks: space costs as much as text. */
export function collapsed(text: string): string {
	return text
		.toWellFormed()
		.normalize("NFC")
		.trim()
		.replaceAll(/\s+/g, (blanks) => (blanks.includes("\n") ? lineBreak : " "));
}

class Inker {
	readonly #shape: Shape;
	#sentence = 0;

	constructor(shape: Shape) {
		this.#shape = shape;
	}

	cellsOf({ text, isDim }: Passage): Cell[] {
		const cells: Cell[] = [];
		for (const [word] of `${collapsed(text)}${lineBreak}`.matchAll(/[\p{L}\p{N}_]+|[^\p{L}\p{N}_]/gu)) {
			const ink = isDim || this.#isFiller(word) ? inks.gray : this.#ink();
			for (const char of word) cells.push({ char, ink });
			if (/^[.!?¶]$/.test(word)) this.#sentence++;
		}
		return cells;
	}

	#isFiller(word: string): boolean {
		return this.#shape.dims && stopwords.has(word.toLowerCase());
	}

	#ink(): number {
		return this.#shape.hues ? inks.firstHue + (this.#sentence % inks.hues) : inks.black;
	}
}

function cutRows(cells: readonly Cell[], chars: number): Row[] {
	const rows: Row[] = [];
	for (let at = 0; at < cells.length; at += chars) rows.push(cells.slice(at, at + chars));
	return rows;
}

const space = " ";

/** Breaks after spaces; one at the end of a full row is beyond it, where nothing is drawn. A longer word is cut. */
function wrapRows(cells: readonly Cell[], chars: number): Row[] {
	const rows: Row[] = [];
	for (let at = 0; at < cells.length;) {
		const end = Math.min(at + chars, cells.length);
		let cut = cells[end]?.char === space ? end + 1 : end;
		if (cut === end && end < cells.length) {
			while (cut > at && cells[cut - 1]?.char !== space) cut--;
			if (cut === at) cut = end;
		}
		rows.push(cells.slice(at, cut));
		at = cut;
	}
	return rows;
}
