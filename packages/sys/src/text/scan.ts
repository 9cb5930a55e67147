/** Splits a text into pieces: text with cells, styles, and controls. All measuring starts here. */
import { limits } from "../limits.ts";
import { Escape, startsEscape, type EscapeKind } from "./escapes.ts";
import { Cluster } from "./graphemes.ts";

/** A `space` is one that a row may break at; an `unfinished` escape would swallow the text after it. */
type Piece = "text" | "space" | "tab" | "newline" | Exclude<EscapeKind, "sized">;

/** True if the text is printable ASCII: one cell per unit, nothing to interpret. */
export function isPlain(text: string): boolean {
	return /^[ -~]*$/.test(text);
}

/**
 * True if the text consists of styles, links and characters that are a cell each, which is nearly all text. No character
 * joins another here: one that would is not in the list.
 */
export function isSimple(text: string): boolean {
	return simple.test(text);
}

const single = "[ -~\\u2013\\u2014\\u2018-\\u201d\\u2022\\u2026\\u2190-\\u2193\\u2500-\\u257f]*";
const styleOrLink = "(?:\\x1b\\[[0-9;]*m|\\x1b\\]8;[ -:<-~]*;[ -~]*(?:\\x07|\\x1b\\\\))";
const simple = new RegExp(`^${single}(?:${styleOrLink}${single})*$`);

/**
 * True if the text contains something that must not reach a terminal unchanged: a tab, or an escape that may not end.
 */
export function needsCare(text: string): boolean {
	return /[\t\x1b\x90\x98\x9b\x9d-\x9f]/.test(text);
}

/**
 * A selector that an escape separated from its base would make the base wider once the escape is removed; alone it is
 * invisible.
 */
export function withoutSelector(piece: string): string {
	return piece.startsWith("\ufe0f") ? piece.replace(/^\ufe0f+/, "") : piece;
}

/** Printable characters, each a cell and a cluster of its own: the one before a character that is not ASCII may not be. */
const letters = /[ -~]+(?![^\0-\x7f])/y;
const wordLetters = /[!-~]+(?![^\0-\x7f])/y;

/** What was read last. All scanners share them: a scanner is made for every row that is measured. */
const cluster = new Cluster();
const escape = new Escape();

/** A cursor over a text; its fields describe the piece that `next` read. */
export class Scanner {
	readonly text: string;
	start = 0;
	end = 0;
	cells = 0;
	piece: Piece = "text";

	constructor(text: string) {
		this.text = text;
	}

	/** False at the end of the text. */
	next(): boolean {
		const { text } = this;
		const start = this.end;
		if (start >= text.length) return false;
		this.start = start;
		const unit = text.charCodeAt(start);
		// A printable ASCII character is a cluster of its own unless a character that is not ASCII follows.
		if (unit >= 0x20 && unit < 0x7f && !(text.charCodeAt(start + 1) >= 0x80)) {
			this.#setPiece(start + 1, 1, unit === 0x20 ? "space" : "text");
		} else if (unit === 0x09) {
			this.#setPiece(start + 1, limits.tabCells, "tab");
		} else if (startsEscape(unit)) {
			this.#readEscape();
		} else {
			cluster.read(text, start);
			this.#setPiece(cluster.end, cluster.cells, this.#pieceOfCluster(unit));
		}
		return true;
	}

	/** The end of the printable ASCII characters from here on, each of which is a cell; `end` where there are none. */
	get runEnd(): number {
		return this.#endOf(letters);
	}

	/** The same without spaces. */
	get wordEnd(): number {
		return this.#endOf(wordLetters);
	}

	#endOf(run: RegExp): number {
		run.lastIndex = this.end;
		return run.test(this.text) ? run.lastIndex : this.end;
	}

	#pieceOfCluster(unit: number): Piece {
		if (unit === 0x20 && cluster.end === this.start + 1) return "space";
		if (unit === 0x0a) return "newline";
		// CR LF is one cluster.
		return unit === 0x0d && cluster.end === this.start + 2 ? "newline" : "text";
	}

	#readEscape(): void {
		escape.read(this.text, this.start);
		const { end, kind } = escape;
		if (kind === "sized") this.#setPiece(end, sizedCells(this.text.slice(this.start, end)), "text");
		else this.#setPiece(end, 0, kind);
	}

	#setPiece(end: number, cells: number, piece: Piece): void {
		this.end = end;
		this.cells = cells;
		this.piece = piece;
	}
}

const sized = /66;([^;]*);(.*?)(?:\x07|\x9c|\x1b\\)$/s;

/** The visible text of a piece: itself, or the text inside its sequence for sized text. */
export function shownText(piece: string): string {
	return startsEscape(piece.charCodeAt(0)) ? (sized.exec(piece)?.[2] ?? "") : piece;
}

/** Kitty's sized text, `OSC 66 ; s=2:w=1 ; text ST`: shown as a whole, `s` times as large, in `w` cells if given. */
function sizedCells(sequence: string): number {
	const [, metadata = "", shown = ""] = sized.exec(sequence) ?? [];
	const value = (key: string): number => {
		const digit = new RegExp(`(?:^|:)${key}=([0-7])(?:$|:)`).exec(metadata)?.[1];
		return digit === undefined ? 0 : Number(digit);
	};
	const scale = Math.max(1, value("s"));
	const width = value("w");
	if (width > 0) return scale * width;
	const scanner = new Scanner(shown);
	let cells = 0;
	while (scanner.next()) cells += scanner.cells;
	return scale * cells;
}
