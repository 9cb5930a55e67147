/** Plays a recorded answer: its raw stream through the codec of its protocol, or where there is none, its message. */
import {
	streamByCodec,
	type AssistantMessage,
	type AssistantMessageEvent,
	type AssistantMessageEventStream,
} from "@tau/ai";
import { EventStream } from "@tau/utils";

import type { Chunk, ExchangeLine, RawAnswer } from "./format.ts";

/** Events at a time after the request. */
export interface Beat {
	readonly at: number;
	readonly events: readonly AssistantMessageEvent[];
}

export interface Decoded {
	readonly message: AssistantMessage;
	readonly beats: readonly Beat[];
}

/** The raw stream says nothing about an answer that the user has stopped. */
export function hasStream({ raw, message }: Pick<ExchangeLine, "raw" | "message">): boolean {
	return raw !== undefined && message.stopReason !== "aborted";
}

/** The answer as this program reads it today. */
export async function decoded(exchange: Pick<ExchangeLine, "raw" | "model" | "message">): Promise<Decoded> {
	const { raw, model, message } = exchange;
	const beats: { at: number; events: AssistantMessageEvent[] }[] = [{ at: 0, events: [] }];
	const answer =
		raw && hasStream(exchange)
			? streamByCodec(
					model,
					{ messages: [] },
					{
						sender: {
							isOffline: true,
							send: async () => responseOf(raw, (at) => void beats.push({ at, events: [] })),
						},
					},
				)
			: playMessage(message);
	for await (const event of answer) beats.at(-1)?.events.push(snapshot(event));
	return { message: withRecordedIds(await answer.result(), exchange), beats };
}

/** `partial` is one object that grows; the kinds that need it keep what it was. */
function snapshot(event: AssistantMessageEvent): AssistantMessageEvent {
	if (event.type !== "toolcall_start" && event.type !== "start") return event;
	return {
		...event,
		partial: { ...event.partial, content: event.partial.content.map((block) => ({ ...block })) },
	};
}

/** Ids that the stream does not have were made while it was read: those of the recording apply. */
function withRecordedIds(
	message: AssistantMessage,
	{ raw, message: recorded }: Pick<ExchangeLine, "raw" | "message">,
): AssistantMessage {
	const text = raw?.chunks.map(([, each]) => each).join("") ?? "";
	const content = message.content.map((block, at) => {
		const before = recorded.content[at];
		if (block.type !== "toolCall" || before?.type !== "toolCall" || text.includes(block.id)) return block;
		return { ...block, id: before.id };
	});
	return { ...message, content };
}

/** `onChunk` is called before each chunk, when everything before it has been read. */
export function responseOf(raw: RawAnswer, onChunk: (at: number) => void | Promise<void>): Response {
	const { status, headers, chunks, lost } = raw;
	if (lost && chunks.length === 0) throw lostError(lost);
	let next = 0;
	const body = new ReadableStream<Uint8Array>(
		{
			async pull(controller) {
				// The reader has handled the last chunk, and its subscribers have the events.
				await new Promise((resolve) => {
					setImmediate(resolve);
				});
				const chunk = chunks[next++];
				if (!chunk) return lost ? controller.error(lostError(lost)) : controller.close();
				await onChunk(chunk[0]);
				controller.enqueue(bytesOf(chunk));
			},
		},
		{ highWaterMark: 0 },
	);
	return new Response(body, { status, headers });
}

function bytesOf([, text, coding]: Chunk): Uint8Array {
	return coding === "base64" ? Uint8Array.fromBase64(text) : new TextEncoder().encode(text);
}

function lostError({ message, code }: NonNullable<RawAnswer["lost"]>): Error {
	return Object.assign(new Error(message), code === undefined ? {} : { code });
}

/** A message as the events of an answer. */
export function playMessage(recorded: AssistantMessage): AssistantMessageEventStream {
	const message = structuredClone(recorded);
	const stream = new EventStream<AssistantMessageEvent, AssistantMessage>({});
	stream.push({ type: "start", partial: { ...message, content: [] } });
	for (const [contentIndex, block] of message.content.entries()) {
		const at = { contentIndex, partial: message };
		if (block.type === "text") {
			stream.push({ type: "text_start", ...at });
			stream.push({ type: "text_delta", delta: block.text, ...at });
			stream.push({ type: "text_end", content: block.text, ...at });
		} else if (block.type === "thinking") {
			stream.push({ type: "thinking_start", ...at });
			stream.push({ type: "thinking_delta", delta: block.thinking, ...at });
			stream.push({ type: "thinking_end", content: block.thinking, ...at });
		} else if (block.type === "toolCall") {
			stream.push({ type: "toolcall_start", ...at });
			stream.push({ type: "toolcall_end", toolCall: block, ...at });
		}
	}
	const { stopReason } = message;
	if (stopReason === "error" || stopReason === "aborted")
		stream.push({ type: "error", reason: stopReason, error: message });
	else stream.push({ type: "done", reason: stopReason, message });
	stream.end(message);
	return stream;
}
