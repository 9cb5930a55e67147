/** Values as frames of bytes: four bytes of length, then the value as a structured clone. */
import { deserialize, serialize } from "bun:jsc";

const headBytes = 4;

export function encodeFrame(value: unknown): Uint8Array[] {
	const body = serialize(value, { binaryType: "nodebuffer" });
	const head = Buffer.alloc(headBytes);
	head.writeUInt32LE(body.length);
	return [head, body];
}

/** A frame announced more bytes than are accepted. */
export class FrameTooLarge extends Error {}

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
			this.#length = start.readUInt32LE();
			if (this.#length > this.#maxBytes) throw new FrameTooLarge();
		}
		if (this.#length === undefined || this.#size < headBytes + this.#length) return undefined;
		const value: unknown = deserialize(this.#joined().subarray(headBytes, headBytes + this.#length));
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
