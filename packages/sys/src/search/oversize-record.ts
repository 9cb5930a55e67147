/** Reads file, number and start of a line that is too long to be read completely. */
import { limits } from "./limits.ts";
import type { RipgrepRecord, RipgrepText } from "./records.ts";

/** Quotes inside a string are escaped, so no text of a file can look like this. */
const lineNumber = /"line_number":(\d+|null),/;
const lineOffset = /"absolute_offset":(\d+),/;
/** Longer than the longest part of the pattern that may be at the end of a chunk. */
const carryChars = 80;

export class OversizeRecord {
	#head = "";
	#carry = "";
	#number: number | undefined;
	#offset: number | undefined;

	push(part: Uint8Array): void {
		// Bytes are read as Latin-1: the pattern is ASCII, and the head is decoded when it is complete.
		const text = this.#carry + Buffer.from(part.buffer, part.byteOffset, part.length).toString("latin1");
		const room = limits.recordHeadBytes - this.#head.length;
		if (room > 0) this.#head += text.slice(this.#carry.length, this.#carry.length + room);
		if (this.#offset !== undefined) return;
		const number = this.#number === undefined ? lineNumber.exec(text)?.[1] : undefined;
		const offset = lineOffset.exec(text)?.[1];
		if (number !== undefined) this.#number = Number(number) || 1;
		if (offset !== undefined) this.#offset = Number(offset);
		this.#carry = text.slice(-carryChars);
	}

	record(): RipgrepRecord | undefined {
		const head = Buffer.from(this.#head, "latin1").toString("utf8");
		const type = /^\{"type":"(match|context)"/.exec(head)?.[1];
		const path = /"path":(\{"(?:text|bytes)":"(?:[^"\\]|\\.)*"\}),"lines":/.exec(head);
		if ((type !== "match" && type !== "context") || !path?.[1]) return undefined;
		return {
			type,
			data: {
				path: JSON.parse(path[1]) as RipgrepText,
				lines: startOfText(head.slice(path.index + path[0].length)),
				line_number: this.#number ?? 1,
				...(this.#offset === undefined ? {} : { absolute_offset: this.#offset }),
				submatches: [],
			},
		};
	}
}

/** The start of a JSON object `{"text":"…` or `{"bytes":"…` whose end is missing. */
function startOfText(json: string): RipgrepText {
	const base64 = /^\{"bytes":"([A-Za-z0-9+/]*)/.exec(json)?.[1];
	if (base64 !== undefined) return { bytes: base64.slice(0, base64.length - (base64.length % 4)) };
	const body = /^\{"text":"((?:[^"\\]|\\.)*)/.exec(json)?.[1] ?? "";
	// The cut may be inside an escape of six characters, or inside a character of several bytes.
	const whole = body.replace(/\\u[0-9a-fA-F]{0,3}$/, "").replace(/\ufffd$/, "");
	return { text: JSON.parse(`"${whole}"`) as string };
}
