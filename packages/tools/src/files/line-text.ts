/** A text with access to its lines by number, without splitting it first. */

export class LineText {
	readonly text: string;
	/** A line feed at the end closes the last line; it does not start another one. */
	readonly count: number;
	/** The offset of each line, and after the last one the end of the text. */
	readonly #starts: Uint32Array;

	constructor(text: string) {
		this.text = text;
		const starts = [0];
		for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
		if (starts.at(-1) !== text.length) starts.push(text.length);
		this.#starts = Uint32Array.from(starts);
		this.count = starts.length - 1;
	}

	/** Returns the offset of a line, from 1; the line after the last begins at the end of the text. */
	start(line: number): number {
		return this.#starts[Math.min(line - 1, this.count)] ?? this.text.length;
	}

	/** A line without its end. */
	line(line: number): string {
		const end = this.start(line + 1);
		return this.text.slice(this.start(line), this.text.charCodeAt(end - 1) === 10 ? end - 1 : end);
	}

	/** Lines from one to another, both included. */
	lines(first: number, last: number): string[] {
		const out: string[] = [];
		for (let line = Math.max(first, 1); line <= Math.min(last, this.count); line++) out.push(this.line(line));
		return out;
	}

	/** Returns the line of an offset; the end of a text belongs to its last line unless that line is closed. */
	lineAt(offset: number): number {
		let low = 1;
		let high = this.count + 1;
		while (low < high) {
			const middle = (low + high + 1) >> 1;
			if (middle <= this.count && this.start(middle) <= offset) low = middle;
			else high = middle - 1;
		}
		const isBehind = offset >= this.text.length && this.text.endsWith("\n");
		return isBehind ? this.count + 1 : low;
	}

	get hasFinalNewline(): boolean {
		return this.text.endsWith("\n");
	}
}
