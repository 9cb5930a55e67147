/** Splits a stream of bytes into lines at `
` and nowhere else, whatever the chunks, with a limit on each line. */

const newline = 0x0a;
const carriageReturn = 0x0d;

/** `undefined` represents a line that was longer than allowed; its content was discarded. */
export type Line = Uint8Array | undefined;

export class LineSplitter {
	readonly #limit: number;
	#parts: Uint8Array[] = [];
	#length = 0;

	constructor(limit: number) {
		this.#limit = limit;
	}

	/** Yields the lines that this chunk completes. The rest is stored: the chunk must not change afterwards. */
	*push(chunk: Uint8Array): Generator<Line> {
		let start = 0;
		for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
			this.#add(chunk.subarray(start, end));
			start = end + 1;
			yield this.#take();
		}
		this.#add(chunk.subarray(start));
	}

	/** What came after the last newline, if anything did. */
	*end(): Generator<Line> {
		if (this.#length > 0) yield this.#take();
	}

	#add(part: Uint8Array): void {
		this.#length += part.length;
		if (this.#length > this.#limit) this.#parts = [];
		else if (part.length > 0) this.#parts.push(part);
	}

	#take(): Line {
		const [first = new Uint8Array(), ...rest] = this.#parts;
		const line = rest.length === 0 ? first : Buffer.concat(this.#parts);
		const isTooLong = this.#length > this.#limit;
		this.#parts = [];
		this.#length = 0;
		if (isTooLong) return undefined;
		return line.at(-1) === carriageReturn ? line.subarray(0, -1) : line;
	}
}
