/** Messages of language servers and debug adapters: JSON behind a header with its length, over a program's input and output. */
import type { Readable, Writable } from "node:stream";

/** The bounds of a message. */
const limits = {
	/** A header is one or two short lines. */
	headerBytes: 4096,
	/** The symbols of a large workspace have some megabytes. */
	bodyBytes: 64 * 1024 * 1024,
	/** Output that is no message, such as a banner, is skipped up to here. */
	noiseBytes: 64 * 1024,
} as const;

export interface FrameListener {
	onMessage(message: unknown): void;
	/** The stream cannot be understood any further. Nothing comes after it. */
	onProblem(reason: string): void;
}

const headerEnd = Buffer.from("\r\n\r\n");
const lengthName = "content-length:";

/** Reads messages until the stream ends. A message that is not valid JSON is a problem; text between messages is skipped. */
export class FrameReader {
	readonly #listener: FrameListener;
	/** What has arrived and is not read yet, in the order of arrival. */
	#chunks: Buffer[] = [];
	#size = 0;
	/** Of the body that is being received. */
	#expected: number | undefined;
	#noise = 0;
	#isBroken = false;

	constructor(listener: FrameListener) {
		this.#listener = listener;
	}

	/** Reads everything that a program prints. */
	follow(stream: Readable): void {
		stream.on("data", (chunk: Buffer) => this.push(chunk));
		stream.on("error", () => {});
	}

	push(chunk: Buffer): void {
		if (this.#isBroken) return;
		this.#chunks.push(chunk);
		this.#size += chunk.length;
		while (!this.#isBroken && (this.#expected === undefined ? this.#readHeader() : this.#readBody()));
	}

	#readHeader(): boolean {
		if (this.#size === 0) return false;
		const bytes = this.#joined();
		const textUpTo = (end: number): string => bytes.toString("latin1", 0, end).toLowerCase();
		// Nearly always the header is next; a chunk with many messages is not converted for each of them.
		const isNext = textUpTo(lengthName.length) === lengthName;
		const start = textUpTo(isNext ? limits.headerBytes : limits.noiseBytes + limits.headerBytes);
		const at = start.indexOf(lengthName);
		if (at < 0) return this.#skip(bytes);
		const end = bytes.indexOf(headerEnd, at);
		if (end < 0)
			return bytes.length - at > limits.headerBytes ? this.#fail("a header without an end") : false;
		const length = Number(/^\s*(\d+)/.exec(start.slice(at + lengthName.length, end))?.[1]);
		if (!Number.isSafeInteger(length)) return this.#fail("a header without a length");
		if (length > limits.bodyBytes) return this.#fail(`a message of ${length} bytes`);
		this.#keep(bytes.subarray(end + headerEnd.length));
		this.#expected = length;
		this.#noise = 0;
		return true;
	}

	/** A header may be cut between two chunks: the end of the noise is kept. */
	#skip(bytes: Buffer): boolean {
		const kept = bytes.subarray(Math.max(0, bytes.length - lengthName.length));
		this.#noise += bytes.length - kept.length;
		if (this.#noise > limits.noiseBytes) return this.#fail("output that is no protocol");
		this.#keep(kept);
		return false;
	}

	#readBody(): boolean {
		const length = this.#expected ?? 0;
		if (this.#size < length) return false;
		const bytes = this.#joined();
		this.#keep(bytes.subarray(length));
		this.#expected = undefined;
		let message: unknown;
		try {
			message = JSON.parse(bytes.toString("utf8", 0, length));
		} catch {
			return this.#fail("a message that is not valid JSON");
		}
		this.#listener.onMessage(message);
		return true;
	}

	#joined(): Buffer {
		const [only] = this.#chunks;
		return this.#chunks.length === 1 && only ? only : Buffer.concat(this.#chunks);
	}

	#keep(rest: Buffer): void {
		this.#chunks = rest.length === 0 ? [] : [rest];
		this.#size = rest.length;
	}

	#fail(what: string): false {
		this.#isBroken = true;
		this.#keep(Buffer.alloc(0));
		this.#listener.onProblem(`it sent ${what}`);
		return false;
	}
}

export function writeFrame(stream: Writable, message: unknown): void {
	const body = Buffer.from(JSON.stringify(message));
	stream.write(`Content-Length: ${body.length}\r\n\r\n`);
	stream.write(body);
}
