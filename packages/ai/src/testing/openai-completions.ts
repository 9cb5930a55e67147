/** The OpenAI Chat Completions protocol, played: chunks, whole completions and errors as the vendor sends them. */

import { isRecord } from "@tau/utils";

import { cut } from "./chunks.ts";
import {
	argumentsText,
	delta,
	faultReply,
	frame,
	jsonReply,
	playedId,
	serverSentEvent,
	terminal,
	thinkingTokens,
	thoughtsOf,
	type Call,
	type Piece,
	type PlayedProtocol,
} from "./protocol.ts";
import type { Block, ScriptedStop, ToolCallBlock } from "./scenario.ts";

export const openaiCompletions: PlayedProtocol = {
	name: "openai-completions",
	matches: (method, path) => method === "POST" && path === "/v1/chat/completions",
	isClient: () => true,

	refuse(_request, body) {
		if (!isRecord(body)) return "We could not parse the JSON body of your request.";
		if (typeof body["model"] !== "string") return "you must provide a model parameter";
		const { messages } = body;
		if (!Array.isArray(messages)) return "Missing required parameter: 'messages'.";
		if (messages.length > 0) return undefined;
		return "Invalid 'messages': empty array. Expected an array with minimum length 1.";
	},

	wantsStream: (_request, body) => isRecord(body) && body["stream"] === true,

	*stream(call) {
		const wantsUsage = includesUsage(call);
		const chunk = chunkOf(call, wantsUsage);
		const hasText = call.answer.blocks.some((block) => "text" in block);
		yield frame(chunk(JSON.stringify({ role: "assistant", content: hasText ? "" : null, refusal: null })));
		let tool = 0;
		for (const block of call.answer.blocks) {
			yield* deltas(block, call, chunk, tool);
			if ("toolCall" in block) tool++;
		}
		yield terminal(chunk("{}", finishReasons[call.stopReason]));
		if (wantsUsage) {
			const last = { ...envelope(call, "chat.completion.chunk"), choices: [], usage: usageOf(call) };
			yield terminal(serverSentEvent(last));
		}
		yield terminal("data: [DONE]\n\n");
	},

	whole: (call) => ({
		...envelope(call, "chat.completion"),
		choices: [
			{
				index: 0,
				message: wholeMessage(call),
				logprobs: null,
				finish_reason: finishReasons[call.stopReason],
			},
		],
		usage: usageOf(call),
	}),

	errorEvent: (error) =>
		serverSentEvent({ error: { message: error.message, type: error.type, param: null, code: null } }),

	headers: (requestId) => ({
		"x-request-id": requestId,
		"openai-version": "2020-10-01",
		"openai-organization": "played",
		"openai-processing-ms": "1",
	}),

	error(problem, requestId) {
		const headers = { "x-request-id": requestId };
		if ("overflow" in problem) {
			const message =
				"This model's maximum context length is 128000 tokens. However, your messages resulted in 204308 tokens. Please reduce the length of the messages.";
			const body = {
				error: { message, type: "invalid_request_error", param: "messages", code: "context_length_exceeded" },
			};
			return jsonReply(400, headers, body);
		}
		const error = errors[problem.http] ?? serverError;
		if ("error" in problem) {
			return jsonReply(problem.http, headers, { error: { ...error, ...problem.error } });
		}
		return faultReply(problem, headers, { error });
	},

	models: (ids) => ({
		object: "list",
		data: ids.map((id) => ({ id, object: "model", created: 1735689600, owned_by: "played" })),
	}),
};

const finishReasons: Record<ScriptedStop, string> = {
	stop: "stop",
	length: "length",
	toolUse: "tool_calls",
	refusal: "content_filter",
};

function vendorError(
	message: string,
	type: string,
	code: string | null,
	param: string | null = null,
): object {
	return { message, type, param, code };
}

const serverError = vendorError(
	"The server had an error while processing your request. Sorry about that!",
	"server_error",
	null,
);

const overloaded = vendorError(
	"The engine is currently overloaded, please try again later",
	"server_error",
	"server_overloaded",
);

const errors: Record<number, object> = {
	400: vendorError("Invalid value for 'messages'.", "invalid_request_error", "invalid_value", "messages"),
	401: vendorError("Incorrect API key provided: played.", "invalid_request_error", "invalid_api_key"),
	403: vendorError("You are not allowed to sample from this model.", "invalid_request_error", null),
	404: vendorError("The model does not exist.", "invalid_request_error", "model_not_found"),
	413: vendorError("Request body too large.", "invalid_request_error", "request_too_large"),
	429: vendorError("Rate limit reached for requests per min (RPM).", "requests", "rate_limit_exceeded"),
	500: serverError,
	503: overloaded,
	529: overloaded,
};

function envelope(call: Call, object: string): object {
	return {
		id: call.answer.id ?? playedId("chatcmpl-", call.serial),
		object,
		created: Math.floor(call.startedAt / 1000),
		model: call.model,
		service_tier: "default",
		system_fingerprint: "fp_played",
	};
}

type Chunk = (deltaJson: string, finish?: string) => string;

/** Serializes the common part of all chunks once, as a long answer has tens of thousands. */
function chunkOf(call: Call, wantsUsage: boolean): Chunk {
	const shared = JSON.stringify(envelope(call, "chat.completion.chunk")).slice(0, -1);
	const usage = wantsUsage ? ',"usage":null' : "";
	return (deltaJson, finish) => {
		const reason = finish === undefined ? "null" : `"${finish}"`;
		return `data: ${shared},"choices":[{"index":0,"delta":${deltaJson},"logprobs":null,"finish_reason":${reason}}]${usage}}\n\n`;
	};
}

function* deltas(block: Block, call: Call, chunk: Chunk, tool: number): Generator<Piece> {
	if ("text" in block) {
		for (const text of cut(block.text, block.chunks)) {
			yield delta(chunk(`{"content":${JSON.stringify(text)}}`));
		}
	} else if ("thinking" in block && call.reasoningField !== undefined) {
		for (const text of cut(block.thinking, block.chunks)) {
			yield delta(chunk(`{"${call.reasoningField}":${JSON.stringify(text)}}`));
		}
	} else if ("toolCall" in block) {
		const opening = { index: tool, ...toolCall(block, call, tool, "") };
		yield frame(chunk(JSON.stringify({ tool_calls: [opening] })));
		for (const part of cut(argumentsText(block.toolCall.arguments), block.chunks)) {
			const json = `{"index":${tool},"function":{"arguments":${JSON.stringify(part)}}}`;
			yield delta(chunk(`{"tool_calls":[${json}]}`));
		}
	}
}

function toolCall(block: ToolCallBlock, call: Call, index: number, args: string): object {
	const id = block.toolCall.id ?? playedId("call_", call.serial, index);
	return { id, type: "function", function: { name: block.toolCall.name, arguments: args } };
}

function wholeMessage(call: Call): object {
	const { blocks } = call.answer;
	const texts = blocks.flatMap((block) => ("text" in block ? [block.text] : []));
	const calls = blocks
		.flatMap((block) => ("toolCall" in block ? [block] : []))
		.map((block, index) => toolCall(block, call, index, argumentsText(block.toolCall.arguments)));
	const thinking = thoughtsOf(call.answer);
	return {
		role: "assistant",
		content: texts.length > 0 ? texts.join("") : null,
		...(call.reasoningField !== undefined && thinking !== "" ? { [call.reasoningField]: thinking } : {}),
		...(calls.length > 0 ? { tool_calls: calls } : {}),
		refusal: null,
		annotations: [],
	};
}

function includesUsage(call: Call): boolean {
	const options = call.body["stream_options"];
	return isRecord(options) && options["include_usage"] === true;
}

/** The vendor counts cached tokens as part of the prompt. */
function usageOf(call: Call): object {
	const { input, output, cacheRead, cacheWrite } = call.usage;
	const prompt = input + cacheRead + cacheWrite;
	return {
		prompt_tokens: prompt,
		completion_tokens: output,
		total_tokens: prompt + output,
		prompt_tokens_details: {
			cached_tokens: cacheRead,
			audio_tokens: 0,
			...(cacheWrite > 0 ? { cache_write_tokens: cacheWrite } : {}),
		},
		completion_tokens_details: {
			reasoning_tokens: thinkingTokens(call),
			audio_tokens: 0,
			accepted_prediction_tokens: 0,
			rejected_prediction_tokens: 0,
		},
	};
}
