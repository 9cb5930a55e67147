/** The Anthropic Messages protocol, played: events, whole messages and errors as the vendor sends them. */

import { isRecord } from "@tau/utils";

import { cut } from "./chunks.ts";
import {
	argumentsText,
	delta,
	faultReply,
	frame,
	jsonReply,
	playedId,
	playedSignature,
	serverSentEvent,
	terminal,
	type Call,
	type Piece,
	type PlayedProtocol,
} from "./protocol.ts";
import type { Block, ScriptedStop } from "./scenario.ts";

export const anthropicMessages: PlayedProtocol = {
	name: "anthropic-messages",
	matches: (method, path) => method === "POST" && path === "/v1/messages",
	isClient: (request) =>
		request.headers["anthropic-version"] !== undefined || request.path.startsWith("/v1/messages"),

	refuse(request, body) {
		if (request.headers["anthropic-version"] === undefined) return "anthropic-version: header is required";
		if (!isRecord(body)) return "The request body is not valid JSON";
		if (typeof body["model"] !== "string") return "model: Field required";
		const { max_tokens: maxTokens, messages } = body;
		if (maxTokens === undefined) return "max_tokens: Field required";
		if (typeof maxTokens !== "number" || !Number.isInteger(maxTokens) || maxTokens < 1) {
			return "max_tokens: Input should be a valid integer, greater than or equal to 1";
		}
		if (!Array.isArray(messages)) return "messages: Field required";
		return messages.length === 0 ? "messages: at least one message is required" : undefined;
	},

	wantsStream: (_request, body) => isRecord(body) && body["stream"] === true,

	*stream(call) {
		yield frame(event("message_start", { message: { ...envelope(call), content: [], ...opening(call) } }));
		for (const [index, block] of call.answer.blocks.entries()) {
			yield frame(event("content_block_start", { index, content_block: emptyBlock(block, call, index) }));
			if (index === 0) yield frame(event("ping", {}));
			yield* deltas(block, call, index);
			yield frame(event("content_block_stop", { index }));
		}
		const ending = { stop_reason: stopReasons[call.stopReason], stop_sequence: null };
		yield terminal(event("message_delta", { delta: ending, usage: finalUsage(call) }));
		yield terminal(event("message_stop", {}));
	},

	whole: (call) => ({
		...envelope(call),
		content: call.answer.blocks.map((block, index) => wholeBlock(block, call, index)),
		stop_reason: stopReasons[call.stopReason],
		stop_sequence: null,
		usage: { ...inputUsage(call), output_tokens: call.usage.output, service_tier: "standard" },
	}),

	errorEvent: (error) => event("error", { error: { type: error.type, message: error.message } }),

	headers: (requestId) => ({
		"request-id": requestId,
		"anthropic-organization-id": "00000000-0000-4000-8000-000000000000",
		"anthropic-ratelimit-requests-limit": "4000",
		"anthropic-ratelimit-requests-remaining": "3999",
	}),

	error(problem, requestId) {
		const headers = { "request-id": requestId };
		const body = (type: string, message: string) => ({
			type: "error",
			error: { type, message },
			request_id: requestId,
		});
		if ("overflow" in problem) {
			const message = "prompt is too long: 200251 tokens > 200000 maximum";
			return jsonReply(400, headers, body("invalid_request_error", message));
		}
		const [type, message] = errors[problem.http] ?? ["api_error", "Internal server error"];
		if ("error" in problem) {
			const { error } = problem;
			return jsonReply(problem.http, headers, body(error.type ?? type, error.message ?? message));
		}
		return faultReply(problem, headers, body(type, message));
	},

	models: (ids) => ({
		data: ids.map((id) => ({ type: "model", id, display_name: id, created_at: "2025-01-01T00:00:00Z" })),
		has_more: false,
		first_id: ids[0] ?? null,
		last_id: ids.at(-1) ?? null,
	}),
};

const stopReasons: Record<ScriptedStop, string> = {
	stop: "end_turn",
	length: "max_tokens",
	toolUse: "tool_use",
	refusal: "refusal",
};

const errors: Record<number, [type: string, message: string]> = {
	400: ["invalid_request_error", "messages: Input should be a valid list"],
	401: ["authentication_error", "invalid x-api-key"],
	403: ["permission_error", "Your API key does not have permission to use the specified resource."],
	404: ["not_found_error", "Not Found"],
	413: ["request_too_large", "Request exceeds the maximum size"],
	429: ["rate_limit_error", "This request would exceed your organization's rate limit"],
	500: ["api_error", "Internal server error"],
	503: ["api_error", "Service unavailable"],
	529: ["overloaded_error", "Overloaded"],
};

function event(type: string, rest: object): string {
	return serverSentEvent({ type, ...rest }, type);
}

function envelope(call: Call): object {
	const id = call.answer.id ?? playedId("msg_", call.serial);
	return { id, type: "message", role: "assistant", model: call.model };
}

/** The facts of the first event: nothing of the end, and almost nothing of the output. */
function opening(call: Call): object {
	const usage = {
		...inputUsage(call),
		output_tokens: Math.min(1, call.usage.output),
		service_tier: "standard",
	};
	return { stop_reason: null, stop_sequence: null, usage };
}

function inputUsage({ usage }: Call): object {
	return {
		input_tokens: usage.input,
		cache_creation_input_tokens: usage.cacheWrite,
		cache_read_input_tokens: usage.cacheRead,
		cache_creation: { ephemeral_5m_input_tokens: usage.cacheWrite, ephemeral_1h_input_tokens: 0 },
	};
}

function finalUsage({ usage }: Call): object {
	return {
		input_tokens: usage.input,
		cache_creation_input_tokens: usage.cacheWrite,
		cache_read_input_tokens: usage.cacheRead,
		output_tokens: usage.output,
	};
}

function emptyBlock(block: Block, call: Call, index: number): object {
	if ("text" in block) return { type: "text", text: "" };
	if ("thinking" in block) return { type: "thinking", thinking: "", signature: "" };
	if ("redactedThinking" in block) return { type: "redacted_thinking", data: block.redactedThinking };
	return {
		type: "tool_use",
		id: callId(block.toolCall.id, call, index),
		name: block.toolCall.name,
		input: {},
	};
}

function wholeBlock(block: Block, call: Call, index: number): object {
	if ("text" in block) return { type: "text", text: block.text };
	if ("thinking" in block) {
		return {
			type: "thinking",
			thinking: block.thinking,
			signature: block.signature ?? playedSignature(call, index),
		};
	}
	if ("redactedThinking" in block) return { type: "redacted_thinking", data: block.redactedThinking };
	// A non-streamed answer cannot contain broken JSON: the vendor would have to fail.
	const { arguments: input } = block.toolCall;
	return { ...emptyBlock(block, call, index), input: typeof input === "string" ? {} : input };
}

function* deltas(block: Block, call: Call, index: number): Generator<Piece> {
	// Text deltas are most of a long stream: their constant part is serialized once.
	const head = `event: content_block_delta\ndata: {"type":"content_block_delta","index":${index},"delta":`;
	if ("text" in block) {
		for (const text of cut(block.text, block.chunks)) {
			yield delta(`${head}{"type":"text_delta","text":${JSON.stringify(text)}}}\n\n`);
		}
	} else if ("thinking" in block) {
		for (const text of cut(block.thinking, block.chunks)) {
			yield delta(`${head}{"type":"thinking_delta","thinking":${JSON.stringify(text)}}}\n\n`);
		}
		const signature = JSON.stringify(block.signature ?? playedSignature(call, index));
		yield frame(`${head}{"type":"signature_delta","signature":${signature}}}\n\n`);
	} else if ("toolCall" in block) {
		yield frame(`${head}{"type":"input_json_delta","partial_json":""}}\n\n`);
		const json = argumentsText(block.toolCall.arguments);
		// The vendor sends nothing more for a call without arguments.
		if (json === "{}") return;
		for (const part of cut(json, block.chunks)) {
			yield delta(`${head}{"type":"input_json_delta","partial_json":${JSON.stringify(part)}}}\n\n`);
		}
	}
}

function callId(id: string | undefined, call: Call, index: number): string {
	return id ?? playedId("toolu_", call.serial, index);
}
