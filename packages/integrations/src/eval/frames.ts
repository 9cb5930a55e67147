/** What an interpreter writes: frames of JSON lines on one stream, text of cells with a mark after each on the other. */
import { ByteLines } from "@tau/utils";
import { z } from "zod";

import { limits } from "./limits.ts";

const frame = z.discriminatedUnion("type", [
	z.object({
		type: z.literal("done"),
		id: z.number(),
		ok: z.boolean(),
		interrupted: z.boolean().optional(),
		error: z.string().nullish(),
		line: z.number().nullish(),
		names: z.array(z.string()),
		imports: z.array(z.string()),
	}),
	z.object({ type: z.literal("names"), id: z.number(), names: z.array(z.string()) }),
	z.object({ type: z.literal("image"), data: z.string() }),
	z.object({ type: z.literal("json"), value: z.unknown() }),
	z.object({
		type: z.literal("call"),
		call: z.number(),
		tool: z.string(),
		positional: z.array(z.unknown()),
		named: z.record(z.string(), z.unknown()),
		/** The interpreter does it itself, if the call would be allowed. */
		checks: z.boolean().optional(),
	}),
]);

export type Frame = z.infer<typeof frame>;
export type DoneFrame = Extract<Frame, { type: "done" }>;
export type CallFrame = Extract<Frame, { type: "call" }>;

/** Splits a stream into frames. A line that is no frame is text: a process of a cell may have inherited the stream. */
export class FrameLines {
	readonly #lines = new ByteLines(limits.frameBytes);
	readonly #onFrame: (frame: Frame) => void;
	readonly #onText: (text: Uint8Array) => void;

	constructor(onFrame: (frame: Frame) => void, onText: (text: Uint8Array) => void) {
		this.#onFrame = onFrame;
		this.#onText = onText;
	}

	push(chunk: Buffer): void {
		for (const part of this.#lines.push(chunk)) {
			// No frame is as long as an excess.
			if (part.kind === "line") this.#take(part.bytes);
			else this.#onText(part.kind === "excess" ? part.bytes : lineEnd);
		}
	}

	#take(line: Buffer): void {
		if (line.length === 0) return;
		const parsed = frameOf(line);
		if (parsed) this.#onFrame(parsed);
		else this.#onText(Buffer.concat([line, lineEnd]));
	}
}

const lineEnd = Buffer.from("\n");

function frameOf(line: Buffer): Frame | undefined {
	if (line[0] !== 0x7b) return undefined;
	try {
		return frame.safeParse(JSON.parse(line.toString("utf8"))).data;
	} catch {
		// Not JSON, so not a frame.
		return undefined;
	}
}

/** Removes the marks from the text, and reports each. */
export class MarkedText {
	readonly #mark: Buffer;
	readonly #onText: (text: Uint8Array) => void;
	readonly #onMark: () => void;
	/** The end of the last chunk, if it may be the beginning of a mark. */
	#held: Buffer = Buffer.alloc(0);

	constructor(mark: string, onText: (text: Uint8Array) => void, onMark: () => void) {
		this.#mark = Buffer.from(mark);
		this.#onText = onText;
		this.#onMark = onMark;
	}

	push(chunk: Buffer): void {
		let rest = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
		for (let at = rest.indexOf(this.#mark); at >= 0; at = rest.indexOf(this.#mark)) {
			if (at > 0) this.#onText(rest.subarray(0, at));
			this.#onMark();
			rest = rest.subarray(at + this.#mark.length);
		}
		const held = this.#possibleStart(rest);
		if (held > 0) this.#onText(rest.subarray(0, held));
		this.#held = Buffer.from(rest.subarray(held));
	}

	#possibleStart(text: Buffer): number {
		const from = Math.max(0, text.length - this.#mark.length + 1);
		for (let at = from; at < text.length; at++)
			if (text.subarray(at).equals(this.#mark.subarray(0, text.length - at))) return at;
		return text.length;
	}
}
