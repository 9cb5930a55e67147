/** Parses the output of `ripgrep --json` record by record, in bounded memory. */
import { limits } from "./limits.ts";
import { OversizeRecord } from "./oversize-record.ts";

/** Text, or base64 of bytes that are not UTF-8. */
export type RipgrepText = { text: string } | { bytes: string };

interface LineData {
	path: RipgrepText;
	lines: RipgrepText;
	line_number: number | null;
	absolute_offset?: number;
	submatches: readonly { start: number; end: number }[];
}

export type RipgrepRecord =
	| { type: "match" | "context"; data: LineData }
	| { type: "end"; data: { path: RipgrepText; binary_offset: number | null } }
	| { type: "begin" }
	| { type: "summary" };

export class RecordReader {
	#pending: Uint8Array[] = [];
	#pendingBytes = 0;
	#oversize: OversizeRecord | undefined;

	/** Yields the records that are complete. */
	*push(chunk: Uint8Array): Generator<RipgrepRecord> {
		let start = 0;
		for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, start)) {
			this.#keep(chunk.subarray(start, end));
			start = end + 1;
			const record = this.#finish();
			if (record) yield record;
		}
		// The rest of the chunk may be overwritten by the next one.
		if (start < chunk.length) this.#keep(chunk.slice(start));
	}

	#keep(part: Uint8Array): void {
		if (this.#oversize) return this.#oversize.push(part);
		this.#pending.push(part);
		this.#pendingBytes += part.length;
		if (this.#pendingBytes <= limits.recordBytes) return;
		this.#oversize = new OversizeRecord();
		for (const piece of this.#pending) this.#oversize.push(piece);
		this.#pending = [];
	}

	#finish(): RipgrepRecord | undefined {
		const pending = this.#pending;
		const oversize = this.#oversize;
		this.#pending = [];
		this.#pendingBytes = 0;
		this.#oversize = undefined;
		if (oversize) return oversize.record();
		const [only = new Uint8Array()] = pending;
		const line = pending.length > 1 ? Buffer.concat(pending) : only;
		return parseRecord(new TextDecoder().decode(line));
	}
}

/** The shapes are ripgrep's documented ones; anything else is skipped. */
function parseRecord(line: string): RipgrepRecord | undefined {
	try {
		return JSON.parse(line) as RipgrepRecord;
	} catch {
		// The record was cut off when ripgrep was killed.
		return undefined;
	}
}
