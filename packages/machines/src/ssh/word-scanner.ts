/** Finds the end of an output: a secret word, a status and more on one line, wherever the chunks are cut. */
import { randomBytes } from "node:crypto";

export interface OutputEnd {
	readonly status: number;
	/** What follows the status on its line. */
	readonly rest: string;
}

export function newWord(): string {
	return randomBytes(16).toString("hex");
}

export class WordScanner {
	readonly #word: Buffer;
	/** Bytes that may be the beginning of the word. */
	#held: Buffer = Buffer.alloc(0);

	constructor(word: string) {
		this.#word = Buffer.from(word);
	}

	/** Bytes that were received, and are not known to be output yet. */
	get heldBytes(): number {
		return this.#held.length;
	}

	/** What is certainly output, and the end if it has come, with what follows it. */
	push(chunk: Buffer): { data: Buffer; end?: OutputEnd; more?: Buffer } {
		const bytes = this.#held.length > 0 ? Buffer.concat([this.#held, chunk]) : chunk;
		const at = bytes.indexOf(this.#word);
		const lineEnd = at < 0 ? -1 : bytes.indexOf(0x0a, at);
		if (lineEnd < 0) {
			const cut = at < 0 ? this.#possibleStart(bytes) : at;
			this.#held = Buffer.from(bytes.subarray(cut));
			return { data: bytes.subarray(0, cut) };
		}
		this.#held = Buffer.alloc(0);
		const line = bytes.toString("utf8", at + this.#word.length, lineEnd).trim();
		const [, status = "", rest = ""] = /^(-?\d+)(?: (.*))?$/s.exec(line) ?? [];
		const end = { status: Number(status), rest };
		return { data: bytes.subarray(0, at), end, more: bytes.subarray(lineEnd + 1) };
	}

	/** Where the word may begin: output that cannot be a part of it is not held back. */
	#possibleStart(bytes: Buffer): number {
		for (let at = Math.max(0, bytes.length - this.#word.length + 1); at < bytes.length; at++) {
			if (this.#word.subarray(0, bytes.length - at).equals(bytes.subarray(at))) return at;
		}
		return bytes.length;
	}

	/** What was held back, when nothing more will come. */
	flush(): Buffer {
		const rest = this.#held;
		this.#held = Buffer.alloc(0);
		return rest;
	}
}
