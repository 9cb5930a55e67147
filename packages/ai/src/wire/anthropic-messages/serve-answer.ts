/** Writes an answer as an Anthropic server would: as a stream of events, or as one message. */
import type { Json } from "../../json.ts";
import type {
	AssistantContent,
	AssistantMessage,
	AssistantMessageEvent,
	Failure,
	Usage,
} from "../../types.ts";
import { sealRest, sealText, sealThinking } from "../serving/seal.ts";
import { sse } from "../serving/sse.ts";
import type { AnswerFacts, AnswerWriter } from "../serving/types.ts";

export class MessagesWriter implements AnswerWriter {
	readonly #facts: AnswerFacts;
	/** The block numbers of the stream, by ours: a seal may come between. */
	#next = 0;
	readonly #indexes = new Map<number, number>();
	readonly #unsealed = new Set<number>();
	readonly #sealedTexts = new Map<number, string>();

	constructor(facts: AnswerFacts) {
		this.#facts = facts;
	}

	event(event: AssistantMessageEvent): string {
		switch (event.type) {
			case "start":
				return write("message_start", { message: head(event.partial, this.#facts) });
			case "text_start":
				return (
					this.#sealText(event.contentIndex, event.partial) +
					this.#start(event.contentIndex, { type: "text", text: "" })
				);
			case "text_delta":
				return this.#delta(event.contentIndex, { type: "text_delta", text: event.delta });
			case "thinking_start": {
				const block = event.partial.content[event.contentIndex];
				// Hidden thinking is written with its payload, which may come last.
				if (block?.type === "thinking" && block.redacted) return "";
				return this.#start(event.contentIndex, { type: "thinking", thinking: "", signature: "" });
			}
			case "thinking_delta":
				return this.#delta(event.contentIndex, { type: "thinking_delta", thinking: event.delta });
			case "toolcall_start": {
				const block = event.partial.content[event.contentIndex];
				if (block?.type !== "toolCall") return "";
				return this.#start(event.contentIndex, {
					type: "tool_use",
					id: block.id,
					name: block.name,
					input: {},
				});
			}
			case "toolcall_delta":
				return this.#delta(event.contentIndex, { type: "input_json_delta", partial_json: event.delta });
			case "text_end":
			case "toolcall_end":
				return this.#stop(event.contentIndex);
			case "thinking_end":
				return this.#endThinking(event.contentIndex, event.partial);
			case "done":
				return this.#end(event.message);
			case "error":
				return event.error.failure?.kind === "refusal"
					? this.#end(event.error)
					: write("error", errorBody(event.error.failure ?? { kind: "unknown", message: "aborted" }));
		}
	}

	/** Before the text, if it is known by then. */
	#sealText(index: number, message: AssistantMessage): string {
		const [block] = sealOfText(message, index, this.#facts);
		const text = message.content[index];
		if (!block || text?.type !== "text") return "";
		this.#sealedTexts.set(index, text.textSignature ?? "");
		return this.#start(-1, block) + this.#stop(-1);
	}

	#start(index: number, block: Json): string {
		const number = this.#next++;
		this.#indexes.set(index, number);
		return write("content_block_start", { index: number, content_block: block });
	}

	#delta(index: number, delta: Json): string {
		const number = this.#indexes.get(index);
		return number === undefined ? "" : write("content_block_delta", { index: number, delta });
	}

	#stop(index: number): string {
		return write("content_block_stop", { index: this.#indexes.get(index) ?? 0 });
	}

	#endThinking(index: number, message: AssistantMessage): string {
		const signature = sealThinking(message, message.content[index]);
		if (signature === undefined) this.#unsealed.add(index);
		if (!this.#indexes.has(index)) {
			if (signature === undefined) return "";
			return this.#start(index, { type: "redacted_thinking", data: signature }) + this.#stop(index);
		}
		const signed = signature === undefined ? "" : this.#delta(index, { type: "signature_delta", signature });
		return signed + this.#stop(index);
	}

	#end(message: AssistantMessage): string {
		const [rest] = sealAfter(message, this.#unsealed, this.#sealedTexts);
		const sealed = rest ? this.#start(-1, rest) + this.#stop(-1) : "";
		const delta = { stop_reason: stopReason(message), stop_sequence: null };
		return (
			sealed + write("message_delta", { delta, usage: usageOf(message.usage) }) + write("message_stop", {})
		);
	}
}

export function messageDocument(message: AssistantMessage, facts: AnswerFacts): Json {
	return {
		...head(message, facts),
		content: [
			...message.content.flatMap((block, index) => [
				...sealOfText(message, index, facts),
				...blockOf(message, block),
			]),
			...sealAfter(message),
		],
		stop_reason: stopReason(message),
		usage: usageOf(message.usage),
	};
}

/** A client without thinking reads its text from the first block, whatever that is. */
function sealOfText(message: AssistantMessage, index: number, { request }: AnswerFacts): Json[] {
	const block = message.content[index];
	if (!request.wantsThoughts || block?.type !== "text" || !block.textSignature) return [];
	return [{ type: "redacted_thinking", data: sealText(message, index) }];
}

/**
 * After calls, whose signatures have to come back. Elsewhere the last block stays the text, because Claude Code takes it
 * for the result: a signature that comes after its text, as Gemini's do, is one that the provider can do without.
 */
function sealAfter(
	message: AssistantMessage,
	unsealed?: ReadonlySet<number>,
	sealedTexts?: ReadonlyMap<number, string>,
): Json[] {
	if (message.content.at(-1)?.type === "text") return [];
	const data = sealRest(message, unsealed, undefined, sealedTexts);
	return data === undefined ? [] : [{ type: "redacted_thinking", data }];
}

function blockOf(message: AssistantMessage, block: AssistantContent): Json[] {
	switch (block.type) {
		case "text":
			return [{ type: "text", text: block.text, citations: null }];
		case "thinking": {
			const signature = sealThinking(message, block);
			if (block.redacted)
				return signature === undefined ? [] : [{ type: "redacted_thinking", data: signature }];
			return [{ type: "thinking", thinking: block.thinking, signature: signature ?? "" }];
		}
		case "toolCall":
			return [{ type: "tool_use", id: block.id, name: block.name, input: block.arguments }];
	}
}

function head(message: AssistantMessage, { id, model }: AnswerFacts): Json {
	return {
		id: id.startsWith("msg_") ? id : `msg_${id}`,
		type: "message",
		role: "assistant",
		model: message.responseModel ?? model,
		content: [],
		stop_reason: null,
		stop_sequence: null,
		usage: usageOf(message.usage),
	};
}

function usageOf({ input, output, cacheRead, cacheWrite }: Usage): Json {
	return {
		input_tokens: input,
		output_tokens: output,
		cache_read_input_tokens: cacheRead,
		cache_creation_input_tokens: cacheWrite,
	};
}

function stopReason({ stopReason: reason, failure }: AssistantMessage): string {
	if (failure?.kind === "refusal") return "refusal";
	if (reason === "length") return "max_tokens";
	return reason === "toolUse" ? "tool_use" : "end_turn";
}

const errorTypes: Readonly<Partial<Record<Failure["kind"], string>>> = {
	rate_limit: "rate_limit_error",
	overloaded: "overloaded_error",
	auth: "authentication_error",
	overflow: "invalid_request_error",
	invalid_request: "invalid_request_error",
	foreign_content: "invalid_request_error",
	timeout: "timeout_error",
};

export function errorBody(failure: Failure, status?: number): Json {
	const type =
		status === 403 ? "permission_error" : status === 404 ? "not_found_error" : errorTypes[failure.kind];
	// Clients know an overflow by these words.
	const isOverflow = failure.kind === "overflow" && !/prompt is too long/i.test(failure.message);
	const message = isOverflow ? `prompt is too long: ${failure.message}` : failure.message;
	// In the middle of a stream there is no header for it.
	const { retryAfterMs } = failure;
	const wait = retryAfterMs === undefined ? {} : { resets_in_seconds: retryAfterMs / 1000 };
	return { type: "error", error: { type: type ?? "api_error", message, ...wait } };
}

function write(type: string, fields: Json): string {
	return sse({ type, ...fields }, type);
}
