/** Keeps the end of an output of any length, and counts the whole. */
import { limits } from "../limits.ts";
import { SequencePosition } from "./sequence-position.ts";

const newline = 0x0a;
/** A byte order mark is output like any other. */
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

export class OutputTail {
	readonly #limit: number;
	#chunks: Uint8Array[] = [];
	#keptBytes = 0;
	/** The terminal sequence at the start of the kept end. */
	readonly #start = new SequencePosition();
	#endsInNewline = true;
	totalBytes = 0;
	totalLines = 0;

	constructor(limit: number = limits.outputTailBytes) {
		this.#limit = limit;
	}

	get truncated(): boolean {
		return this.totalBytes > this.#limit;
	}

	push(chunk: Uint8Array): void {
		if (chunk.length === 0) return;
		this.totalBytes += chunk.length;
		this.totalLines += countLines(chunk) + (this.#endsInNewline ? 1 : 0) - (chunk.at(-1) === newline ? 1 : 0);
		this.#endsInNewline = chunk.at(-1) === newline;
		const surplus = Math.max(0, chunk.length - this.#limit);
		if (surplus > 0) {
			for (const gone of this.#chunks.splice(0)) this.#start.pass(gone);
			this.#start.pass(chunk.subarray(0, surplus));
			this.#keptBytes = 0;
		}
		// A copy, because the reader reuses its buffer, and because a small slice would keep a large chunk alive.
		this.#chunks.push(chunk.slice(surplus));
		this.#keptBytes += chunk.length - surplus;
		// The chunks are joined only at twice the limit: every byte is moved a bounded number of times.
		if (this.#keptBytes > 2 * this.#limit) this.#trim();
	}

	/**
	 * The kept end as text, cut between lines and never inside a character. A line that fills more than half of it is
	 * cut as well, after a terminal sequence rather than in it: of one huge line and a short one, both should be
	 * visible.
	 */
	text(): string {
		const bytes = this.bytes();
		if (!this.truncated) return decoder.decode(bytes);
		const firstBreak = bytes.indexOf(newline);
		const atLine = firstBreak >= 0 && firstBreak < bytes.length / 2;
		if (atLine) return decoder.decode(bytes.subarray(firstBreak + 1));
		const visible = bytes.subarray(this.#start.rest(bytes));
		return decoder.decode(visible.subarray(characterStart(visible)));
	}

	/** The kept end unchanged. Callers must not modify it. */
	bytes(): Uint8Array {
		this.#trim();
		return this.#chunks[0] ?? new Uint8Array();
	}

	#trim(): void {
		if (this.#chunks.length === 1 && this.#keptBytes <= this.#limit) return;
		const joined = Buffer.concat(this.#chunks);
		const surplus = Math.max(0, joined.length - this.#limit);
		this.#start.pass(joined.subarray(0, surplus));
		this.#chunks = [joined.subarray(surplus)];
		this.#keptBytes = joined.length - surplus;
	}
}

function countLines(chunk: Uint8Array): number {
	let lines = 0;
	for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, at + 1)) lines++;
	return lines;
}

/** The first byte that is not inside a UTF-8 character, which has three continuation bytes at most. */
function characterStart(bytes: Uint8Array): number {
	let start = 0;
	while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
	return start;
}
