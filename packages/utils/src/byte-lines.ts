/** Splits a stream of bytes into lines at `\n` and nowhere else, whatever the chunks, with a bound on what is kept. */

export type LinePart =
	/** A whole line without its newline. */
	| { kind: "line"; bytes: Buffer }
	/** A part of a line that is longer than the bound; the first one is longer than the bound itself. */
	| { kind: "excess"; bytes: Buffer }
	/** The end of such a line. */
	| { kind: "excess-end" };

const newline = 0x0a;

export class ByteLines {
	readonly #limit: number;
	#parts: Buffer[] = [];
	#length = 0;
	#isExcess = false;

	constructor(limit: number) {
		this.#limit = limit;
	}

	/** Yields what this chunk completes; read all of it before the next chunk. The bytes may be those of the chunk. */
	*push(chunk: Uint8Array): Generator<LinePart> {
		const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
		let start = 0;
		for (let end = bytes.indexOf(newline); end >= 0; end = bytes.indexOf(newline, start)) {
			const part = bytes.subarray(start, end);
			start = end + 1;
			yield* this.#complete(part);
		}
		if (start < bytes.length) yield* this.#keep(bytes.subarray(start));
	}

	/** What came after the last newline, if anything did. */
	*end(): Generator<LinePart> {
		if (this.#isExcess || this.#length > 0) yield* this.#complete(Buffer.alloc(0));
	}

	*#complete(part: Buffer): Generator<LinePart> {
		if (!this.#isExcess) {
			const bytes = this.#take(part);
			yield bytes.length > this.#limit ? { kind: "excess", bytes } : { kind: "line", bytes };
			if (bytes.length <= this.#limit) return;
		} else if (part.length > 0) yield { kind: "excess", bytes: part };
		this.#isExcess = false;
		yield { kind: "excess-end" };
	}

	*#keep(part: Buffer): Generator<LinePart> {
		if (this.#isExcess) yield { kind: "excess", bytes: part };
		else if (this.#length + part.length > this.#limit) {
			this.#isExcess = true;
			yield { kind: "excess", bytes: this.#take(part) };
		} else {
			// The chunk belongs to the stream, which uses it again.
			this.#parts.push(Buffer.from(part));
			this.#length += part.length;
		}
	}

	#take(last: Buffer): Buffer {
		const whole = this.#parts.length === 0 ? last : Buffer.concat([...this.#parts, last]);
		this.#parts = [];
		this.#length = 0;
		return whole;
	}
}
