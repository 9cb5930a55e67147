/** The OpenAI Responses protocol, played: events, whole responses and errors as the vendor sends them. */

import { isRecord } from "@tau/utils";

import { cut } from "./chunks.ts";
import { openaiCompletions } from "./openai-completions.ts";
import { readResponsesMessage, refuseResponsesRequest } from "./openai-responses-request.ts";
import {
	argumentsText,
	delta,
	frame,
	jsonReply,
	playedId,
	playedSignature,
	serverSentEvent,
	terminal,
	thinkingTokens,
	type Call,
	type Piece,
	type PlayedProtocol,
} from "./protocol.ts";
import type { Block, TextBlock, ThinkingBlock, ToolCallBlock } from "./scenario.ts";

export const openaiResponses: PlayedProtocol = {
	name: "openai-responses",
	// The vendor's own address, Azure's and that of the service for subscriptions.
	matches: (method, path) => method === "POST" && path.endsWith("/responses"),
	socketAt: (path) => path.endsWith("/responses"),
	readMessage: readResponsesMessage,
	// The vendor is the same as for Chat Completions, which handles its other paths.
	isClient: () => false,

	refuse: ({ path }, body) => refuseResponsesRequest(path, body),

	wantsStream: (_request, body) => isRecord(body) && body["stream"] === true,

	*stream(call) {
		const say = new Numbered();
		yield frame(say.event("response.created", { response: snapshot(call, "in_progress") }));
		yield frame(say.event("response.in_progress", { response: snapshot(call, "in_progress") }));
		for (const [index, block] of call.answer.blocks.entries()) {
			const [opening, item] = itemOf(block, call, index);
			yield frame(say.event("response.output_item.added", { output_index: index, item: opening }));
			yield* parts(block, String(item["id"]), index, say);
			yield frame(say.event("response.output_item.done", { output_index: index, item }));
		}
		const status = endOf(call);
		yield terminal(say.event(`response.${status}`, { response: snapshot(call, status) }));
	},

	whole: (call) => snapshot(call, endOf(call)),

	errorEvent: ({ type, message, code = null }, sequence_number) =>
		serverSentEvent({ type: "error", sequence_number, error: { type, code, message, param: null } }, "error"),

	headers: openaiCompletions.headers,

	error(problem, requestId) {
		if (!("overflow" in problem)) return openaiCompletions.error(problem, requestId);
		const message =
			"Your input exceeds the context window of this model. Please adjust your input and try again.";
		const error = { message, type: "invalid_request_error", param: "input", code: "context_length_exceeded" };
		return jsonReply(400, { "x-request-id": requestId }, { error });
	},

	models: openaiCompletions.models,
};

/** The address at which the server compacts a conversation, which it answers as a whole. */
export const openaiCompaction: PlayedProtocol = {
	...openaiResponses,
	matches: (method, path) => method === "POST" && path.endsWith("/responses/compact"),
	socketAt: () => false,
	wantsStream: () => false,
	whole: compaction,
};

/** The user's messages as they were, and the text of the script as the opaque rest. */
function compaction(call: Call): object {
	const { input } = call.body;
	const items = Array.isArray(input) ? input.filter(isRecord) : [];
	const text = call.answer.blocks.map((block) => ("text" in block ? block.text : "")).join("");
	const sealed = Buffer.from(text).toString("base64");
	const { input: read, output } = call.usage;
	return {
		id: playedId("resp_", call.serial),
		object: "response.compaction",
		created_at: Math.floor(call.startedAt / 1000),
		output: [
			...items.filter(({ role }) => role === "user"),
			{ id: playedId("cmp_", call.serial), type: "compaction", encrypted_content: sealed },
		],
		usage: { input_tokens: read, output_tokens: output, total_tokens: read + output },
	};
}

/** Short deltas are padded to this length, so that the size of a packet does not reveal the words in it. */
const paddedChars = 16;

/** Numbers the events of a stream consecutively. */
class Numbered {
	#next = 0;

	event(type: string, fields: object): string {
		return serverSentEvent({ type, sequence_number: this.#next++, ...fields }, type);
	}

	/** Deltas are most of a long stream: their constant part is serialized once. */
	deltas(type: string, position: object, tail = ""): (text: string) => Piece {
		const head = `event: ${type}\ndata: {"type":"${type}","sequence_number":`;
		const middle = `,${JSON.stringify(position).slice(1, -1)},"delta":`;
		return (text) => {
			const padding = "x".repeat(Math.max(0, paddedChars - text.length));
			return delta(
				`${head}${this.#next++}${middle}${JSON.stringify(text)}${tail},"obfuscation":"${padding}"}\n\n`,
			);
		};
	}
}

type Item = Record<string, unknown>;

/** An item as it is announced, and as it is at its end. */
function itemOf(block: Block, call: Call, index: number): [opening: Item, whole: Item] {
	const status =
		endOf(call) === "incomplete" && index === call.answer.blocks.length - 1 ? "incomplete" : "completed";
	if ("text" in block) return messageItem(block, call, index, status);
	if ("toolCall" in block) return callItem(block, call, index, status);
	const id = playedId("rs_", call.serial, index);
	const hidden = "redactedThinking" in block ? block.redactedThinking : block.signature;
	const secret = wantsSecrets(call) ? { encrypted_content: hidden ?? playedSignature(call, index) } : {};
	const summary = "thinking" in block ? summaryOf(block) : [];
	return [
		{ id, type: "reasoning", ...secret, summary: [] },
		{ id, type: "reasoning", ...secret, summary },
	];
}

function messageItem({ text }: TextBlock, call: Call, index: number, status: string): [Item, Item] {
	const id = playedId("msg_", call.serial, index);
	const item = (now: string, content: object[]) => ({
		id,
		type: "message",
		status: now,
		content,
		role: "assistant",
	});
	return [item("in_progress", []), item(status, [textPart(text)])];
}

function callItem({ toolCall }: ToolCallBlock, call: Call, index: number, status: string): [Item, Item] {
	const id = playedId("fc_", call.serial, index);
	const call_id = toolCall.id ?? playedId("call_", call.serial, index);
	const item = (now: string, args: string) => ({
		id,
		type: "function_call",
		status: now,
		arguments: args,
		call_id,
		name: toolCall.name,
	});
	return [item("in_progress", ""), item(status, argumentsText(toolCall.arguments))];
}

function* parts(block: Block, item_id: string, output_index: number, say: Numbered): Generator<Piece> {
	const item = { item_id, output_index };
	if ("text" in block) {
		const position = { ...item, content_index: 0 };
		yield frame(say.event("response.content_part.added", { ...position, part: textPart("") }));
		const spoken = say.deltas("response.output_text.delta", position, ',"logprobs":[]');
		for (const text of cut(block.text, block.chunks)) yield spoken(text);
		yield frame(say.event("response.output_text.done", { ...position, text: block.text, logprobs: [] }));
		yield frame(say.event("response.content_part.done", { ...position, part: textPart(block.text) }));
	} else if ("thinking" in block) yield* summaryParts(block, item, say);
	else if ("toolCall" in block) {
		const args = argumentsText(block.toolCall.arguments);
		const spoken = say.deltas("response.function_call_arguments.delta", item);
		for (const text of cut(args, block.chunks)) yield spoken(text);
		yield frame(say.event("response.function_call_arguments.done", { ...item, arguments: args }));
	}
}

function* summaryParts(block: ThinkingBlock, item: object, say: Numbered): Generator<Piece> {
	for (const part of summaryOf(block)) {
		const position = { ...item, summary_index: 0 };
		yield frame(
			say.event("response.reasoning_summary_part.added", { ...position, part: { ...part, text: "" } }),
		);
		const spoken = say.deltas("response.reasoning_summary_text.delta", position);
		for (const text of cut(part.text, block.chunks)) yield spoken(text);
		yield frame(say.event("response.reasoning_summary_text.done", { ...position, text: part.text }));
		yield frame(say.event("response.reasoning_summary_part.done", { ...position, part }));
	}
}

function summaryOf({ thinking }: ThinkingBlock): { type: string; text: string }[] {
	return thinking === "" ? [] : [{ type: "summary_text", text: thinking }];
}

function textPart(text: string): object {
	return { type: "output_text", annotations: [], logprobs: [], text };
}

function endOf({ stopReason }: Call): "completed" | "incomplete" {
	return stopReason === "length" || stopReason === "refusal" ? "incomplete" : "completed";
}

function wantsSecrets({ body }: Call): boolean {
	return Array.isArray(body["include"]) && body["include"].includes("reasoning.encrypted_content");
}

/** The current state of the response, which repeats the request's options. */
function snapshot(call: Call, status: "in_progress" | "completed" | "incomplete"): object {
	const { body, answer } = call;
	const ended = status !== "in_progress";
	const option = (name: string, otherwise: unknown): unknown => body[name] ?? otherwise;
	const reason = call.stopReason === "refusal" ? "content_filter" : "max_output_tokens";
	const reasoning = isRecord(body["reasoning"]) ? body["reasoning"] : {};
	const createdAt = Math.floor(call.startedAt / 1000);
	return {
		id: answer.id ?? playedId("resp_", call.serial),
		object: "response",
		created_at: createdAt,
		status,
		background: false,
		...(status === "completed" ? { completed_at: createdAt } : {}),
		error: null,
		incomplete_details: status === "incomplete" ? { reason } : null,
		instructions: option("instructions", null),
		max_output_tokens: option("max_output_tokens", null),
		max_tool_calls: null,
		model: call.model,
		output: ended ? answer.blocks.map((block, index) => itemOf(block, call, index)[1]) : [],
		parallel_tool_calls: option("parallel_tool_calls", true),
		previous_response_id: option("previous_response_id", null),
		prompt_cache_key: option("prompt_cache_key", null),
		prompt_cache_retention: option("prompt_cache_retention", null),
		reasoning: { effort: reasoning["effort"] ?? null, summary: reasoning["summary"] ?? null },
		safety_identifier: null,
		service_tier: ended ? "default" : option("service_tier", "auto"),
		store: option("store", true),
		temperature: option("temperature", 1),
		text: { format: { type: "text" }, verbosity: "medium" },
		tool_choice: option("tool_choice", "auto"),
		tools: option("tools", []),
		top_logprobs: 0,
		top_p: 1,
		truncation: "disabled",
		usage: ended ? usageOf(call) : null,
		user: null,
		metadata: option("metadata", {}),
	};
}

/** The vendor counts cached tokens as part of the input, and thoughts as part of the output. */
function usageOf(call: Call): object {
	const { input, output, cacheRead, cacheWrite } = call.usage;
	const input_tokens = input + cacheRead + cacheWrite;
	return {
		input_tokens,
		input_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
		output_tokens: output,
		output_tokens_details: { reasoning_tokens: thinkingTokens(call) },
		total_tokens: input_tokens + output,
	};
}
