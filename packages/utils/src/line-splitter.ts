/** The lines of a client on standard input: a carriage return before the newline is not part of them, and what is too long is discarded. */
import { abortable } from "./abort.ts";
import { ByteLines, type LinePart } from "./byte-lines.ts";
import { log } from "./log.ts";

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
		yield* splitLines(this.#lines.push(chunk));
	}

	/** What came after the last newline, if anything did. */
	*end(): Generator<Line> {
		yield* splitLines(this.#lines.end());
	}
}

function* splitLines(parts: Iterable<LinePart>): Generator<Line> {
	for (const part of parts) {
		if (part.kind === "line")
			yield part.bytes.at(-1) === carriageReturn ? part.bytes.subarray(0, -1) : part.bytes;
		else if (part.kind === "excess-end") yield undefined;
	}
}

/** Every line, until the input ends or breaks off, or the signal is aborted. */
export async function* linesOf(
	input: ReadableStream<Uint8Array>,
	limit: number,
	signal: AbortSignal,
): AsyncGenerator<Line> {
	const splitter = new LineSplitter(limit);
	const reader = input.getReader();
	try {
		for (;;) {
			const next = await abortable(reader.read(), signal);
			if (next.done) break;
			yield* splitter.push(next.value);
		}
		yield* splitter.end();
	} catch (error) {
		if (!signal.aborted) log.warn("standard input broke off", { reason: String(error) });
	} finally {
		// A pipe that is still being read from would keep the process alive.
		await reader.cancel().catch(() => {});
	}
}

/** A line as JSON; undefined where it is white space, and the reason where it cannot be read. */
export function jsonOf(line: Line, limit: number): { value: unknown } | { reason: string } | undefined {
	if (!line) return { reason: `it is larger than ${limit} bytes` };
	try {
		const json = new TextDecoder("utf-8", { fatal: true }).decode(line);
		return json.trim() === "" ? undefined : { value: JSON.parse(json) as unknown };
	} catch (error) {
		return { reason: error instanceof Error ? error.message : String(error) };
	}
}

/** A frame of JSON as one line: `\n` ends it, and within JSON there is none. */
export function frameLine(frame: object): string {
	return `${JSON.stringify(frame)}\n`;
}
