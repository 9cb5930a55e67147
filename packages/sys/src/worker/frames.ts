/** Values as frames of bytes: a mark, four bytes of length, then the value as a structured clone. */
import { deserialize, serialize } from "bun:jsc";

/** What a library prints into the pipe does not begin like this. */
const mark = Buffer.from("\0TAU", "latin1");
const headBytes = mark.length + 4;

export function encodeFrame(value: unknown): Uint8Array[] {
	const body = serialize(value, { binaryType: "nodebuffer" });
	const head = Buffer.alloc(headBytes);
	mark.copy(head);
	head.writeUInt32LE(body.length, mark.length);
	return [head, body];
}

/** A frame announced more bytes than are accepted. */
export class FrameTooLarge extends Error {}

/** The bytes are no frame, or more than one. */
export class FrameBroken extends Error {}

/** Collects chunks until a frame is complete. A frame that is too long is refused before its body is collected. */
export class FrameReader {
	readonly #maxBytes: number;
	#chunks: Uint8Array[] = [];
	#size = 0;
	#length: number | undefined;

	constructor(maxBytes: number) {
		this.#maxBytes = maxBytes;
	}

	/** The value of the frame that this chunk completes. A frame is never followed by another before it is answered. */
	add(chunk: Uint8Array): { value: unknown } | undefined {
		this.#chunks.push(chunk);
		this.#size += chunk.length;
		if (this.#length === undefined && this.#size >= headBytes) {
			const start = this.#joined();
			if (!start.subarray(0, mark.length).equals(mark)) throw new FrameBroken();
			this.#length = start.readUInt32LE(mark.length);
			if (this.#length > this.#maxBytes) throw new FrameTooLarge();
		}
		if (this.#length === undefined || this.#size < headBytes + this.#length) return undefined;
		if (this.#size > headBytes + this.#length) throw new FrameBroken();
		const value = decode(this.#joined().subarray(headBytes));
		this.#chunks = [];
		this.#size = 0;
		this.#length = undefined;
		return { value };
	}

	#joined(): Buffer {
		const all = Buffer.concat(this.#chunks);
		this.#chunks = [all];
		return all;
	}
}

function decode(body: Uint8Array): unknown {
	try {
		return deserialize(body);
	} catch {
		throw new FrameBroken();
	}
}
