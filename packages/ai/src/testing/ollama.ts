/** Ollama's own chat protocol, played: lines of JSON, whole messages and errors as the server sends them. */

import { isRecord } from "@tau/utils";

import { cut } from "./chunks.ts";
import {
	delta,
	faultReply,
	jsonReply,
	terminal,
	thoughtsOf,
	type Call,
	type Piece,
	type PlayedProtocol,
} from "./protocol.ts";
import type { Block, ToolCallBlock } from "./scenario.ts";

export const ollamaChat: PlayedProtocol = {
	name: "ollama-chat",
	streamed: { contentType: "application/x-ndjson", encoding: "utf8" },
	modelsPath: "/api/tags",
	matches: (method, path) => method === "POST" && path === "/api/chat",
	isClient: ({ path }) => path.startsWith("/api/"),

	refuse(_request, body) {
		if (!isRecord(body)) return "invalid character 'o' in literal null (expecting 'u')";
		if (typeof body["model"] !== "string" || body["model"] === "") return "model is required";
		if (body["messages"] !== undefined && !Array.isArray(body["messages"])) {
			return "json: cannot unmarshal object into Go struct field ChatRequest.messages of type []api.Message";
		}
		return undefined;
	},

	// Unlike all others, it streams by default.
	wantsStream: (_request, body) => !isRecord(body) || body["stream"] !== false,

	*stream(call) {
		for (const block of call.answer.blocks) yield* blockPieces(block, call);
		yield terminal(line(call, { content: "" }, ending(call)));
	},

	whole: (call) => ({ ...head(call), message: wholeMessage(call), ...ending(call) }),

	errorEvent: ({ message }) => `${JSON.stringify({ error: message })}\n`,
	headers: () => ({}),

	error(problem) {
		if ("overflow" in problem) {
			return jsonReply(400, {}, { error: "the input length exceeds the context length" });
		}
		const message = errors[problem.http] ?? "internal error";
		if ("error" in problem) return jsonReply(problem.http, {}, { error: problem.error.message ?? message });
		return faultReply(problem, {}, { error: message });
	},

	models: (ids) => ({
		models: ids.map((id) => ({
			name: id,
			model: id,
			modified_at: "2025-01-01T00:00:00Z",
			size: 1_000_000_000,
			digest: "0".repeat(64),
			details: { format: "gguf", family: "played", parameter_size: "1B", quantization_level: "Q4_0" },
		})),
	}),
};

const errors: Record<number, string> = {
	400: "invalid think value",
	401: "unauthorized",
	403: "this model requires a subscription",
	404: "model 'played-2' not found",
	413: "http: request body too large",
	429: "you have reached your usage limit",
	500: "llama runner process has terminated: signal: killed",
	503: "server busy, please try again. maximum pending requests exceeded",
	529: "server overloaded, please retry shortly",
};

function head(call: Call): object {
	return { model: call.model, created_at: new Date(call.startedAt).toISOString() };
}

function line(call: Call, message: object, end: object = { done: false }): string {
	return `${JSON.stringify({ ...head(call), message: { role: "assistant", ...message }, ...end })}\n`;
}

function ending({ usage, stopReason }: Call): object {
	return {
		done: true,
		// The server does not report that tools are called.
		done_reason: stopReason === "length" ? "length" : "stop",
		total_duration: 4_883_583_458,
		load_duration: 1_334_875,
		prompt_eval_count: usage.input + usage.cacheRead + usage.cacheWrite,
		prompt_eval_duration: 342_546_000,
		eval_count: usage.output,
		eval_duration: 4_535_599_000,
	};
}

/** The server has no notion of hidden thinking, and sends no call in parts. */
function* blockPieces(block: Block, call: Call): Generator<Piece> {
	if ("text" in block) {
		for (const content of cut(block.text, block.chunks)) yield delta(line(call, { content }));
	} else if ("thinking" in block) {
		for (const thinking of cut(block.thinking, block.chunks)) {
			yield delta(line(call, { content: "", thinking }));
		}
	} else if ("toolCall" in block) yield delta(line(call, { content: "", tool_calls: [toolCall(block)] }));
}

function toolCall({ toolCall: { name, id, arguments: given } }: ToolCallBlock): object {
	// The server parses arguments itself, so it never sends broken ones.
	const object = typeof given === "string" ? {} : given;
	return { ...(id === undefined ? {} : { id }), function: { name, arguments: object } };
}

function wholeMessage({ answer }: Call): object {
	const { blocks } = answer;
	const text = blocks.map((block) => ("text" in block ? block.text : "")).join("");
	const thinking = thoughtsOf(answer);
	const calls = blocks.filter((block) => "toolCall" in block).map(toolCall);
	return {
		role: "assistant",
		content: text,
		...(thinking === "" ? {} : { thinking }),
		...(calls.length > 0 ? { tool_calls: calls } : {}),
	};
}
