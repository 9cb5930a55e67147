/**
 * Parses Amazon's binary event stream (`application/vnd.amazon.eventstream`) from chunks of bytes, split anywhere.
 */
import type { ServerEvent } from "../wire/codec.ts";
import { limits } from "./limits.ts";

/** Total length, length of the headers, checksum of these two. */
const preludeBytes = 12;
const checksumBytes = 4;
const leastMessageBytes = preludeBytes + checksumBytes;

/** Thrown inside this file only; `push` turns it into a value. */
class Unreadable extends Error {}

export class AwsEventStreamParser {
	/** A byte order mark is an ordinary character here: lengths determine where a text begins. */
	readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
	/** The received part of the open message, at the start of a buffer that may be longer. */
	#buffer = new Uint8Array(0);
	#filled = 0;
	/** The length of the open message; 0 while its prelude is incomplete. */
	#messageBytes = 0;
	/** The headers of the previous message: nearly all are those of a delta, and identical. */
	#lastBytes = Buffer.alloc(0);
	#lastHeaders: ReadonlyMap<string, string> = new Map();
	#failure: string | undefined;

	/** A message has a length and a checksum: a part of one is not readable. */
	readonly stray = "";

	rest(): ServerEvent[] {
		return [];
	}

	push(chunk: Uint8Array): { events: ServerEvent[]; failure?: string } {
		const events: ServerEvent[] = [];
		if (this.#failure === undefined) {
			try {
				this.#read(chunk, events);
			} catch (error) {
				if (!(error instanceof Unreadable)) throw error;
				this.#failure = error.message;
				this.#buffer = new Uint8Array(0);
			}
		}
		return this.#failure === undefined ? { events } : { events, failure: this.#failure };
	}

	#read(chunk: Uint8Array, events: ServerEvent[]): void {
		let at = 0;
		while (at < chunk.length) {
			if (this.#filled === 0) at = this.#readWhole(chunk, at, events);
			const missing = (this.#messageBytes || preludeBytes) - this.#filled;
			const end = Math.min(chunk.length, at + missing);
			this.#keep(chunk.subarray(at, end));
			at = end;
			if (this.#messageBytes === 0 && this.#filled === preludeBytes) {
				this.#messageBytes = readPrelude(this.#buffer);
			}
			if (this.#messageBytes > 0 && this.#filled === this.#messageBytes) {
				this.#dispatch(this.#buffer.subarray(0, this.#filled), events);
				this.#filled = 0;
				this.#messageBytes = 0;
			}
		}
	}

	/** Messages that are complete in one chunk are read in place; returns where the first incomplete one begins. */
	#readWhole(chunk: Uint8Array, from: number, events: ServerEvent[]): number {
		let at = from;
		while (chunk.length - at >= preludeBytes) {
			const bytes = readPrelude(chunk.subarray(at));
			if (chunk.length - at < bytes) break;
			this.#dispatch(chunk.subarray(at, at + bytes), events);
			at += bytes;
		}
		return at;
	}

	#keep(bytes: Uint8Array): void {
		const size = this.#filled + bytes.length;
		if (size > this.#buffer.length) {
			// Doubling keeps the cost of a message that arrives byte by byte linear, and a merely claimed length
			// costs nothing.
			const larger = new Uint8Array(
				Math.max(size, Math.min(this.#buffer.length * 2, limits.awsMessageBytes)),
			);
			larger.set(this.#buffer.subarray(0, this.#filled));
			this.#buffer = larger;
		}
		this.#buffer.set(bytes, this.#filled);
		this.#filled = size;
	}

	#dispatch(message: Uint8Array, events: ServerEvent[]): void {
		const view = viewOf(message);
		const end = message.length - checksumBytes;
		if (crc32(message.subarray(0, end)) !== view.getUint32(end)) {
			throw new Unreadable("An event of the stream does not match its checksum");
		}
		const headersEnd = preludeBytes + view.getUint32(4);
		const headers = this.#headersOf(message.subarray(preludeBytes, headersEnd));
		const data = this.#decoder.decode(message.subarray(headersEnd, end));
		events.push(eventOf(headers, data));
	}

	#headersOf(bytes: Uint8Array): ReadonlyMap<string, string> {
		if (!this.#lastBytes.equals(bytes)) {
			this.#lastHeaders = this.#readHeaders(bytes);
			this.#lastBytes = Buffer.from(bytes);
		}
		return this.#lastHeaders;
	}

	/** Only strings are kept: names and kinds are strings, and no other header matters for a model's answer. */
	#readHeaders(bytes: Uint8Array): Map<string, string> {
		const view = viewOf(bytes);
		const headers = new Map<string, string>();
		for (let at = 0; at < bytes.length;) {
			const nameEnd = within(bytes, at + 1 + view.getUint8(at));
			const type = view.getUint8(within(bytes, nameEnd + 1) - 1);
			if (type > lastType) throw new Unreadable(`A header of the stream is of an unknown type (${type})`);
			const fixed = valueSizes[type];
			const valueAt = fixed === undefined ? within(bytes, nameEnd + 3) : nameEnd + 1;
			const valueEnd = within(bytes, valueAt + (fixed ?? view.getUint16(nameEnd + 1)));
			if (type === stringType) {
				const name = this.#decoder.decode(bytes.subarray(at + 1, nameEnd));
				headers.set(name, this.#decoder.decode(bytes.subarray(valueAt, valueEnd)));
			}
			at = valueEnd;
		}
		return headers;
	}
}

function within(bytes: Uint8Array, end: number): number {
	if (end > bytes.length) throw new Unreadable("A header of the stream is cut off");
	return end;
}

/** By type: true, false, byte, short, integer, long, bytes and string (which state their length), time, uuid. */
const valueSizes: readonly (number | undefined)[] = [0, 0, 1, 2, 4, 8, undefined, undefined, 8, 16];
const lastType = valueSizes.length - 1;
const stringType = 7;

function eventOf(headers: ReadonlyMap<string, string>, data: string): ServerEvent {
	const value = (name: string): string => headers.get(name) ?? "";
	switch (value(":message-type")) {
		case "exception":
			return { event: value(":exception-type"), data };
		case "error":
			// An error that the service's model does not define is in the headers alone.
			return {
				event: "error",
				data: JSON.stringify({ type: value(":error-code"), message: value(":error-message") }),
			};
		default:
			return { event: value(":event-type"), data };
	}
}

/** Returns the length of the message. Without the checksum, a corrupt stream could make us wait for gigabytes. */
function readPrelude(bytes: Uint8Array): number {
	const view = viewOf(bytes);
	const [total, headers] = [view.getUint32(0), view.getUint32(4)];
	if (crc32(bytes.subarray(0, preludeBytes - checksumBytes)) !== view.getUint32(8)) {
		throw new Unreadable("The server sent bytes that are not an event stream");
	}
	if (total > limits.awsMessageBytes) {
		throw new Unreadable(`An event of the stream is larger than ${limits.awsMessageBytes} bytes`);
	}
	if (headers > limits.awsHeaderBytes) {
		throw new Unreadable(`The headers of an event are larger than ${limits.awsHeaderBytes} bytes`);
	}
	if (total < leastMessageBytes + headers)
		throw new Unreadable("An event of the stream is shorter than its parts");
	return total;
}

function crc32(bytes: Uint8Array): number {
	return Bun.hash.crc32(bytes);
}

function viewOf(bytes: Uint8Array): DataView {
	return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
