/** The draft as displayed, with labels for markers, and the mapping back into the text. */
import type { TextBuffer } from "./text-buffer.ts";
import { Markers } from "./markers.ts";
import type { Position } from "./position.ts";
import { cleanText } from "./text.ts";

export interface ShownText {
	lines: string[];
	line: number;
	col: number;
}

/** A position in the text, and its displayed column. */
interface Located {
	at: Position;
	shown: number;
}

export class MarkedText {
	readonly buffer: TextBuffer;
	readonly markers = new Markers();

	constructor(buffer: TextBuffer) {
		this.buffer = buffer;
	}

	text(): string {
		return this.markers.display(this.buffer.text());
	}

	expanded(): string {
		return this.markers.expand(this.buffer.text());
	}

	lines(): string[] {
		return this.buffer.lines.map((line) => this.markers.display(line));
	}

	/** The current line up to the caret. */
	beforeCaret(): string {
		const { line, col } = this.buffer.caret;
		return this.markers.display(this.buffer.line(line).slice(0, col));
	}

	shown(): ShownText {
		return { lines: this.lines(), line: this.buffer.caret.line, col: this.beforeCaret().length };
	}

	/** Changes whenever text or caret have changed. */
	stamp(): string {
		const { revision, caret } = this.buffer;
		return `${revision} ${caret.line} ${caret.col}`;
	}

	/** Applies a text that was derived from the displayed one; markers outside of the change stay markers. */
	apply(next: ShownText): void {
		const old = this.lines();
		const head = commonLines(old, next.lines);
		const tail = commonLines(old.slice(head + 1).toReversed(), next.lines.slice(head + 1).toReversed(), 0);
		const lastOld = old.length - 1 - tail;
		const lastNew = next.lines.length - 1 - tail;
		const start = this.#locate(head, commonStart(old[head] ?? "", next.lines[head] ?? ""), false);
		const [before, after] = [old[lastOld] ?? "", next.lines[lastNew] ?? ""];
		const room = Math.min(
			before.length - (lastOld === head ? start.shown : 0),
			after.length - (lastNew === head ? start.shown : 0),
		);
		const end = this.#locate(lastOld, before.length - commonEnd(before, after, room), true);
		const middle = next.lines.slice(head, lastNew + 1);
		const last = middle.length - 1;
		middle[last] = (middle[last] ?? "").slice(0, after.length - (before.length - end.shown));
		middle[0] = (middle[0] ?? "").slice(start.shown);
		this.buffer.replace(start.at, end.at, cleanText(middle.join("\n")));
		this.buffer.moveTo(this.#locate(next.line, next.col, true).at);
	}

	/** Maps a displayed column to the text; inside a label it is the start or the end of the marker. */
	#locate(line: number, col: number, isAfter: boolean): Located {
		const text = this.buffer.line(line);
		let shift = 0;
		for (const { 0: unit, index } of text.matchAll(/\p{Cs}/gu)) {
			const from = index + shift;
			if (from >= col) break;
			const width = this.markers.display(unit).length;
			if (from + width > col) {
				return isAfter
					? { at: { line, col: index + 1 }, shown: from + width }
					: { at: { line, col: index }, shown: from };
			}
			shift += width - 1;
		}
		return { at: { line, col: Math.min(text.length, col - shift) }, shown: col };
	}
}

/** The number of lines that both begin with; the last `keep` of the shorter one are not counted. */
function commonLines(a: readonly string[], b: readonly string[], keep = 1): number {
	const most = Math.min(a.length, b.length) - keep;
	let count = 0;
	while (count < most && a[count] === b[count]) count++;
	return count;
}

function commonStart(a: string, b: string): number {
	let length = 0;
	while (length < a.length && length < b.length && a[length] === b[length]) length++;
	return length;
}

function commonEnd(a: string, b: string, most: number): number {
	let length = 0;
	while (length < most && a.at(-1 - length) === b.at(-1 - length)) length++;
	return length;
}
