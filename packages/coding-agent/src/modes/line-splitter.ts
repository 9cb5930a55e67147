/** The lines of RPC: a carriage return before the newline is not part of them, and what is too long is discarded. */
import { ByteLines, type LinePart } from "@tau/utils";

const carriageReturn = 0x0d;

/** `undefined` represents a line that was longer than allowed; its content was discarded. */
export type Line = Uint8Array | undefined;

export class LineSplitter {
	readonly #lines: ByteLines;

	constructor(limit: number) {
		this.#lines = new ByteLines(limit);
	}

	/** Yields the lines that this chunk completes. */
	*push(chunk: Uint8Array): Generator<Line> {
		yield* linesOf(this.#lines.push(chunk));
	}

	/** What came after the last newline, if anything did. */
	*end(): Generator<Line> {
		yield* linesOf(this.#lines.end());
	}
}

function* linesOf(parts: Iterable<LinePart>): Generator<Line> {
	for (const part of parts) {
		if (part.kind === "line")
			yield part.bytes.at(-1) === carriageReturn ? part.bytes.subarray(0, -1) : part.bytes;
		else if (part.kind === "excess-end") yield undefined;
	}
}
