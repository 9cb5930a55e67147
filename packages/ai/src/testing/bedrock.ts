/** The Converse protocol of Amazon Bedrock, played: its binary event stream, whole messages and errors. */

import { isRecord } from "@tau/utils";

import { bedrockError, bedrockExceptionName, refuseConverse } from "./bedrock-errors.ts";
import { cut } from "./chunks.ts";
import { eventStreamMessage } from "./event-stream-message.ts";
import {
	argumentsText,
	delta,
	frame,
	playedId,
	playedSignature,
	terminal,
	type Call,
	type Piece,
	type PlayedProtocol,
} from "./protocol.ts";
import type { Block, ScriptedStop } from "./scenario.ts";

const call = /^\/model\/([^/]+)\/converse(-stream)?$/;

export const bedrockConverse: PlayedProtocol = {
	name: "bedrock-converse-stream",
	streamed: { contentType: "application/vnd.amazon.eventstream", encoding: "latin1" },
	matches: (method, path) => method === "POST" && call.test(path),
	modelOf: ({ path }) => decodeURIComponent(call.exec(path)?.[1] ?? ""),
	isClient: ({ headers, path }) => headers["x-amz-date"] !== undefined || path.startsWith("/model/"),
	refuse: (_request, body) => (isRecord(body) ? refuseConverse(body) : "The request body is not valid JSON"),
	wantsStream: ({ path }) => path.endsWith("-stream"),

	*stream(scripted) {
		yield frame(event("messageStart", { role: "assistant" }));
		for (const [contentBlockIndex, block] of scripted.answer.blocks.entries()) {
			yield* blockPieces(block, scripted, contentBlockIndex);
			yield frame(event("contentBlockStop", { contentBlockIndex }));
		}
		yield terminal(event("messageStop", { stopReason: stopReasons[scripted.stopReason] }));
		yield terminal(event("metadata", { metrics, usage: usageOf(scripted) }));
	},

	whole: (scripted) => ({
		metrics,
		output: {
			message: {
				role: "assistant",
				content: scripted.answer.blocks.map((block, index) => wholeBlock(block, scripted, index)),
			},
		},
		stopReason: stopReasons[scripted.stopReason],
		usage: usageOf(scripted),
	}),

	errorEvent: ({ type, message }) => {
		const headers = { ":exception-type": bedrockExceptionName(type), ":message-type": "exception" };
		return eventStreamMessage(headers, JSON.stringify({ message })).toString("latin1");
	},

	headers: (requestId) => ({ "x-amzn-requestid": requestId }),
	error: bedrockError,
	models: (ids) => ({ modelSummaries: ids.map((modelId) => ({ modelId, modelName: modelId })) }),
};

const metrics = { latencyMs: 1234 };

const stopReasons: Record<ScriptedStop, string> = {
	stop: "end_turn",
	length: "max_tokens",
	toolUse: "tool_use",
	refusal: "content_filtered",
};

/** Every payload is padded, so that its length reveals nothing of the text. */
function event(type: string, payload: object): string {
	const headers = {
		":event-type": type,
		":content-type": "application/json",
		":message-type": "event",
	};
	return eventStreamMessage(headers, JSON.stringify({ ...payload, p: "abcdefghijklmn" })).toString("latin1");
}

function usageOf({ usage }: Call): object {
	return {
		inputTokens: usage.input,
		outputTokens: usage.output,
		totalTokens: usage.input + usage.output + usage.cacheRead + usage.cacheWrite,
		cacheReadInputTokens: usage.cacheRead,
		cacheWriteInputTokens: usage.cacheWrite,
	};
}

/** Only a call is announced by a start; a text starts with its first delta. */
function* blockPieces(block: Block, scripted: Call, contentBlockIndex: number): Generator<Piece> {
	const piece = (part: object): string => event("contentBlockDelta", { contentBlockIndex, delta: part });
	if ("text" in block) {
		for (const text of cut(block.text, block.chunks)) yield delta(piece({ text }));
	} else if ("thinking" in block) {
		for (const text of cut(block.thinking, block.chunks)) {
			yield delta(piece({ reasoningContent: { text } }));
		}
		const signature = block.signature ?? playedSignature(scripted, contentBlockIndex);
		yield frame(piece({ reasoningContent: { signature } }));
	} else if ("redactedThinking" in block) {
		yield frame(piece({ reasoningContent: { redactedContent: block.redactedThinking } }));
	} else {
		const { name, id, arguments: given } = block.toolCall;
		const toolUse = { toolUseId: callId(id, scripted, contentBlockIndex), name };
		yield frame(event("contentBlockStart", { contentBlockIndex, start: { toolUse } }));
		const json = argumentsText(given);
		// A call without arguments has one empty delta.
		const parts = json === "{}" ? [""] : cut(json, block.chunks);
		for (const input of parts) yield delta(piece({ toolUse: { input } }));
	}
}

function wholeBlock(block: Block, scripted: Call, index: number): object {
	if ("text" in block) return { text: block.text };
	if ("thinking" in block) {
		const signature = block.signature ?? playedSignature(scripted, index);
		return { reasoningContent: { reasoningText: { text: block.thinking, signature } } };
	}
	if ("redactedThinking" in block) return { reasoningContent: { redactedContent: block.redactedThinking } };
	const { name, id, arguments: given } = block.toolCall;
	// A non-streamed answer cannot contain broken JSON: the vendor would have to fail.
	const input = typeof given === "string" ? {} : given;
	return { toolUse: { toolUseId: callId(id, scripted, index), name, input } };
}

function callId(value: string | undefined, scripted: Call, index: number): string {
	return value ?? playedId("tooluse_", scripted.serial, index);
}
