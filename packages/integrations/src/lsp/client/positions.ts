/** Positions in a text: lines end at LF, CR LF or CR, and columns count what client and server agreed on. */
import type { Position, Range } from "vscode-languageserver-protocol";

export type Encoding = "utf-8" | "utf-16" | "utf-32";

/** The offsets at which lines begin. */
export function lineStarts(text: string): number[] {
	const starts = [0];
	for (let at = 0; at < text.length; at++) {
		const code = text.charCodeAt(at);
		if (code === 10 || (code === 13 && text.charCodeAt(at + 1) !== 10)) starts.push(at + 1);
	}
	return starts;
}

/** A text with the positions of its lines, which are found once. */
export class PositionedText {
	readonly text: string;
	readonly #encoding: Encoding;
	#starts: number[] | undefined;

	constructor(text: string, encoding: Encoding) {
		this.text = text;
		this.#encoding = encoding;
	}

	get lines(): number {
		return this.#lines.length;
	}

	/** A line without its end; empty beyond the last one. */
	line(index: number): string {
		const start = this.#lines[index];
		if (start === undefined) return "";
		return this.text.slice(start, this.#lines[index + 1] ?? this.text.length).replace(/\r?\n$|\r$/, "");
	}

	positionAt(offset: number): Position {
		const line = this.#lineOf(offset);
		return { line, character: measured(this.text.slice(this.#lines[line] ?? 0, offset), this.#encoding) };
	}

	/** Columns beyond the end of a line mean its end, and lines beyond the end of the text mean that. */
	offsetAt({ line, character }: Position): number {
		const start = this.#lines[line];
		if (start === undefined) return this.text.length;
		return start + units(this.line(line), character, this.#encoding);
	}

	slice({ start, end }: Range): string {
		return this.text.slice(this.offsetAt(start), this.offsetAt(end));
	}

	get #lines(): readonly number[] {
		this.#starts ??= lineStarts(this.text);
		return this.#starts;
	}

	#lineOf(offset: number): number {
		const lines = this.#lines;
		let [low, high] = [0, lines.length - 1];
		while (low < high) {
			const middle = (low + high + 1) >> 1;
			if ((lines[middle] ?? 0) <= offset) low = middle;
			else high = middle - 1;
		}
		return low;
	}
}

function measured(text: string, encoding: Encoding): number {
	if (encoding === "utf-16") return text.length;
	return encoding === "utf-8" ? Buffer.byteLength(text) : [...text].length;
}

/** How many UTF-16 units of a line a column stands for. */
function units(line: string, character: number, encoding: Encoding): number {
	if (encoding === "utf-16") return Math.min(character, line.length);
	let [at, count] = [0, 0];
	for (const point of line) {
		const width = encoding === "utf-8" ? Buffer.byteLength(point) : 1;
		if (count + width > character) break;
		count += width;
		at += point.length;
	}
	return at;
}

/** What was replaced between two texts: the smallest range that never splits a character or the end of a line. */
export function replacedRange(before: string, after: string): { start: number; end: number; text: string } {
	const shortest = Math.min(before.length, after.length);
	let start = 0;
	while (start < shortest && before.charCodeAt(start) === after.charCodeAt(start)) start++;
	while (start > 0 && splits(before, after, start)) start--;
	let tail = 0;
	while (
		tail < shortest - start &&
		before.charCodeAt(before.length - 1 - tail) === after.charCodeAt(after.length - 1 - tail)
	) {
		tail++;
	}
	while (tail > 0 && (isInside(before, before.length - tail) || isInside(after, after.length - tail))) tail--;
	return { start, end: before.length - tail, text: after.slice(start, after.length - tail) };
}

function splits(before: string, after: string, at: number): boolean {
	return isInside(before, at) || isInside(after, at);
}

/** Between the halves of a surrogate pair, or between CR and LF. */
function isInside(text: string, at: number): boolean {
	const [left, right] = [text.charCodeAt(at - 1), text.charCodeAt(at)];
	if (left === 13 && right === 10) return true;
	return left >= 0xd800 && left < 0xdc00 && right >= 0xdc00 && right < 0xe000;
}
