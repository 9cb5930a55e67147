/** Writes an answer as a Chat Completions server would: as chunks, or as one completion. */
import type { Json } from "../../json.ts";
import type { AssistantMessage, AssistantMessageEvent, Failure, ToolCall, Usage } from "../../types.ts";
import { layoutOf, sealRest } from "../serving/seal.ts";
import { sse } from "../serving/sse.ts";
import type { AnswerFacts, AnswerWriter } from "../serving/types.ts";

/** The vendor's own clients ignore it; those of compatible servers read it, and send the details back. */
const thinkingField = "reasoning_content";

export class CompletionsWriter implements AnswerWriter {
	readonly #facts: AnswerFacts;
	/** The number of each call among the calls, by our index. */
	readonly #calls = new Map<number, number>();

	constructor(facts: AnswerFacts) {
		this.#facts = facts;
	}

	event(event: AssistantMessageEvent): string {
		switch (event.type) {
			case "start":
				return this.#chunk(event.partial, { role: "assistant", content: "", refusal: null });
			case "text_delta":
				return this.#chunk(event.partial, { content: event.delta });
			case "thinking_delta":
				return this.#chunk(event.partial, { [thinkingField]: event.delta });
			case "toolcall_start": {
				const block = event.partial.content[event.contentIndex];
				if (block?.type !== "toolCall") return "";
				const index = this.#calls.size;
				this.#calls.set(event.contentIndex, index);
				const { id, name } = block;
				const call = { index, id, type: "function", function: { name, arguments: "" } };
				return this.#chunk(event.partial, { tool_calls: [call] });
			}
			case "toolcall_delta": {
				const index = this.#calls.get(event.contentIndex);
				const call = { index, function: { arguments: event.delta } };
				return this.#chunk(event.partial, { tool_calls: [call] });
			}
			case "text_start":
			case "text_end":
			case "thinking_start":
			case "thinking_end":
			case "toolcall_end":
				return "";
			case "done":
				return this.#end(event.message);
			case "error":
				return event.error.failure?.kind === "refusal"
					? this.#end(event.error)
					: sse(errorBody(event.error.failure ?? { kind: "unknown", message: "aborted" }));
		}
	}

	#end(message: AssistantMessage): string {
		// Clients that do not know the field keep its last value: it is sent once.
		const details = detailsOf(message);
		const usage = this.#facts.request.wantsUsage
			? sse({ ...this.#head(message), choices: [], usage: usageOf(message.usage) })
			: "";
		return (
			(details.reasoning_details ? this.#chunk(message, details) : "") +
			this.#chunk(message, {}, finishReason(message)) +
			usage +
			"data: [DONE]\n\n"
		);
	}

	#chunk(message: AssistantMessage, delta: Json, finish: string | null = null): string {
		const choice = { index: 0, delta, logprobs: null, finish_reason: finish };
		return sse({ ...this.#head(message), choices: [choice] });
	}

	#head(message: AssistantMessage): Json {
		return head(message, this.#facts, "chat.completion.chunk");
	}
}

export function completionDocument(message: AssistantMessage, facts: AnswerFacts): Json {
	const thinking = joined(message, "thinking");
	const texts = joined(message, "text");
	const calls = message.content.filter((block) => block.type === "toolCall");
	return {
		...head(message, facts, "chat.completion"),
		choices: [
			{
				index: 0,
				message: {
					role: "assistant",
					content: texts === "" && calls.length > 0 ? null : texts,
					refusal: null,
					...(thinking === "" ? {} : { [thinkingField]: thinking }),
					...detailsOf(message),
					...(calls.length > 0 ? { tool_calls: calls.map(callOf) } : {}),
				},
				logprobs: null,
				finish_reason: finishReason(message),
			},
		],
		usage: usageOf(message.usage),
	};
}

function joined({ content }: AssistantMessage, type: "text" | "thinking"): string {
	return content
		.flatMap((block) => {
			if (block.type !== type) return [];
			return block.type === "text" ? [block.text] : block.type === "thinking" ? [block.thinking] : [];
		})
		.join("");
}

function callOf({ id, name, arguments: args }: ToolCall): Json {
	return { id, type: "function", function: { name, arguments: JSON.stringify(args) } };
}

/** Everything that is to come back, in the field that clients of compatible servers send back unchanged. */
function detailsOf(message: AssistantMessage): { reasoning_details?: Json[] } {
	const thoughts = message.content.flatMap(({ type }, index) => (type === "thinking" ? [index] : []));
	const data = sealRest(message, new Set(thoughts), layoutOf(message));
	return data === undefined
		? {}
		: { reasoning_details: [{ type: "reasoning.encrypted", format: "tau", index: 0, data }] };
}

function head(message: AssistantMessage, { id, model, created }: AnswerFacts, object: string): Json {
	const own = id.startsWith("chatcmpl") ? id : `chatcmpl-${id}`;
	return { id: own, object, created, model: message.responseModel ?? model };
}

function usageOf({ input, output, cacheRead, cacheWrite }: Usage): Json {
	const prompt = input + cacheRead + cacheWrite;
	return {
		prompt_tokens: prompt,
		completion_tokens: output,
		total_tokens: prompt + output,
		prompt_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
	};
}

function finishReason({ stopReason, failure }: AssistantMessage): string {
	if (failure?.kind === "refusal") return "content_filter";
	if (stopReason === "length") return "length";
	return stopReason === "toolUse" ? "tool_calls" : "stop";
}

const errorTypes: Readonly<Partial<Record<Failure["kind"], [type: string, code: string | null]>>> = {
	rate_limit: ["rate_limit_error", "rate_limit_exceeded"],
	overloaded: ["server_error", "overloaded"],
	auth: ["authentication_error", "invalid_api_key"],
	overflow: ["invalid_request_error", "context_length_exceeded"],
	invalid_request: ["invalid_request_error", null],
	foreign_content: ["invalid_request_error", "invalid_encrypted_content"],
	refusal: ["invalid_request_error", "content_policy_violation"],
	timeout: ["timeout", "timeout"],
};

/** Both of the vendor's protocols have it. */
export function errorBody({ kind, message, retryAfterMs }: Failure, status?: number): Json {
	const [type, code] = errorTypes[kind] ?? ["server_error", kind];
	// In the middle of a stream there is no header for it.
	const wait = retryAfterMs === undefined ? {} : { resets_in_seconds: retryAfterMs / 1000 };
	return { error: { message, type, param: null, code: status === 404 ? "model_not_found" : code, ...wait } };
}
