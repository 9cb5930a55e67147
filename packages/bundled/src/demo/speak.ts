/** Streams the pieces of a step into a draft, in small natural chunks, as a provider would. */
import { setImmediate as nextTick } from "node:timers/promises";

import type { MessageBuilder } from "@tau/ai";
import { delay, shortId } from "@tau/utils";

import { limits } from "./limits.ts";
import { sampleLines } from "./sample.ts";
import type { Piece, Step } from "./step.ts";

export interface Manner {
	signal: AbortSignal;
	/** Milliseconds between two chunks. */
	pace: number;
	thinking: boolean;
	/** Asked only when a piece needs it. */
	connection(): Promise<string>;
}

/** Throws the signal's reason when it aborts; the text so far stays in the builder. */
export async function speak(builder: MessageBuilder, step: Step, manner: Manner): Promise<void> {
	let open: number | undefined;
	const endText = () => {
		if (open !== undefined) builder.close(open);
		open = undefined;
	};
	for (const piece of step) {
		manner.signal.throwIfAborted();
		if (piece.kind === "thinking") {
			if (!manner.thinking && !piece.always) continue;
			endText();
			const index = builder.openThinking();
			await utter(builder, index, chunks(piece.text, limits.chunkChars), manner);
			builder.close(index);
		} else if (piece.kind === "call") {
			endText();
			await utterCall(builder, piece, manner);
		} else {
			const words = await wordsOf(piece, manner);
			if (open === undefined) open = builder.openText();
			else builder.append(open, "\n\n");
			await utter(builder, open, words, manner);
		}
	}
	endText();
}

async function wordsOf(
	piece: Exclude<Piece, { kind: "thinking" | "call" }>,
	manner: Manner,
): Promise<Iterable<string>> {
	switch (piece.kind) {
		case "text":
			return chunks(piece.text, limits.chunkChars);
		case "sample":
			return sampleLines(piece.lines);
		case "connection":
			return chunks(await manner.connection(), limits.chunkChars);
	}
}

async function utterCall(
	builder: MessageBuilder,
	call: Extract<Piece, { kind: "call" }>,
	manner: Manner,
): Promise<void> {
	const index = builder.openToolCall(`demo_${shortId()}`, call.tool);
	const json = JSON.stringify(call.arguments);
	const size = Math.max(limits.chunkChars, Math.ceil(json.length / limits.argumentChunks));
	await utter(builder, index, chunks(json, size), manner);
	builder.close(index);
}

async function utter(
	builder: MessageBuilder,
	index: number,
	words: Iterable<string>,
	manner: Manner,
): Promise<void> {
	for (const word of words) {
		builder.append(index, word);
		// Even without a pace the reader and a Ctrl+C get their turn between two chunks; it costs a microsecond.
		if (manner.pace > 0) await delay(manner.pace, manner.signal);
		else await nextTick();
		manner.signal.throwIfAborted();
	}
}

/** Cuts behind white space, at about `size` characters, and never inside a surrogate pair. */
export function* chunks(text: string, size: number): Generator<string> {
	let from = 0;
	while (from < text.length) {
		const last = Math.min(text.length, from + size * limits.chunkStretch);
		let to = Math.min(text.length, from + size);
		while (to < last && !isSpace(text.charCodeAt(to - 1))) to++;
		if (to < text.length && isLow(text.charCodeAt(to))) to++;
		yield text.slice(from, to);
		from = to;
	}
}

function isSpace(unit: number): boolean {
	return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d);
}

function isLow(unit: number): boolean {
	return unit >= 0xdc00 && unit <= 0xdfff;
}
