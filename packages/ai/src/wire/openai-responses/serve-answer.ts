/** Writes an answer as a Responses server would: as a stream of events, or as one response. */
import { shortId } from "@tau/utils";

import { object, type Json } from "../../json.ts";
import type { AssistantContent, AssistantMessage, AssistantMessageEvent, Usage } from "../../types.ts";
import { errorBody } from "../openai-completions/serve-answer.ts";
import { sealRest, sealThinking } from "../serving/seal.ts";
import { sse } from "../serving/sse.ts";
import type { AnswerFacts, AnswerWriter } from "../serving/types.ts";
import { splitCallId } from "./signatures.ts";

/** An output item while it is written. */
interface OpenItem {
	index: number;
	id: string;
}

export class ResponsesWriter implements AnswerWriter {
	readonly #facts: AnswerFacts;
	readonly #open = new Map<number, OpenItem>();
	readonly #items: Json[] = [];
	readonly #unsealed = new Set<number>();
	#sequence = 0;
	#next = 0;

	constructor(facts: AnswerFacts) {
		this.#facts = facts;
	}

	event(event: AssistantMessageEvent): string {
		switch (event.type) {
			case "start": {
				const response = responseOf(event.partial, this.#facts, [], "in_progress");
				return (
					this.#write("response.created", { response }) + this.#write("response.in_progress", { response })
				);
			}
			case "text_start":
				return this.#startText(event.contentIndex);
			case "text_delta":
				return this.#part("response.output_text.delta", event.contentIndex, {
					content_index: 0,
					delta: event.delta,
					logprobs: [],
				});
			case "thinking_start":
				return this.#startThinking(event.contentIndex, event.partial);
			case "thinking_delta":
				return this.#part("response.reasoning_summary_text.delta", event.contentIndex, {
					summary_index: 0,
					delta: event.delta,
				});
			case "toolcall_start":
				return this.#startCall(event.contentIndex, event.partial);
			case "toolcall_delta":
				return this.#part("response.function_call_arguments.delta", event.contentIndex, {
					delta: event.delta,
				});
			case "text_end":
			case "thinking_end":
			case "toolcall_end":
				return this.#end(event.contentIndex, event.partial);
			case "done":
				return this.#finish(event.message);
			case "error":
				return this.#finish(event.error);
		}
	}

	#begin(index: number, item: Json): string {
		const open = { index: this.#next++, id: String(item.id) };
		this.#open.set(index, open);
		return this.#write("response.output_item.added", { output_index: open.index, item });
	}

	#startText(index: number): string {
		const id = `msg_${shortId()}`;
		const item = { id, type: "message", status: "in_progress", role: "assistant", content: [] };
		const part = { type: "output_text", text: "", annotations: [], logprobs: [] };
		return (
			this.#begin(index, item) + this.#part("response.content_part.added", index, { content_index: 0, part })
		);
	}

	#startThinking(index: number, message: AssistantMessage): string {
		const begun = this.#begin(index, { id: `rs_${shortId()}`, type: "reasoning", summary: [] });
		const block = message.content[index];
		if (block?.type === "thinking" && block.redacted) return begun;
		const part = { type: "summary_text", text: "" };
		return begun + this.#part("response.reasoning_summary_part.added", index, { summary_index: 0, part });
	}

	#startCall(index: number, message: AssistantMessage): string {
		const block = message.content[index];
		if (block?.type !== "toolCall") return "";
		const { callId, itemId = `fc_${shortId()}` } = splitCallId(block.id);
		const { name } = block;
		const item = {
			id: itemId,
			type: "function_call",
			status: "in_progress",
			call_id: callId,
			name,
			arguments: "",
		};
		return this.#begin(index, item);
	}

	#part(type: string, index: number, fields: Json): string {
		const open = this.#open.get(index);
		return open ? this.#write(type, { item_id: open.id, output_index: open.index, ...fields }) : "";
	}

	#end(index: number, message: AssistantMessage): string {
		const block = message.content[index];
		const open = this.#open.get(index);
		if (!block || !open) return "";
		const item = itemOf(message, block, open.id);
		if (block.type === "thinking" && item.encrypted_content === undefined) this.#unsealed.add(index);
		this.#items.push(item);
		return (
			this.#ends(index, block) + this.#write("response.output_item.done", { output_index: open.index, item })
		);
	}

	#ends(index: number, block: AssistantContent): string {
		switch (block.type) {
			case "text": {
				const { text } = block;
				const part = { type: "output_text", text, annotations: [], logprobs: [] };
				return (
					this.#part("response.output_text.done", index, { content_index: 0, text, logprobs: [] }) +
					this.#part("response.content_part.done", index, { content_index: 0, part })
				);
			}
			case "thinking": {
				if (block.redacted) return "";
				const text = block.thinking;
				return (
					this.#part("response.reasoning_summary_text.done", index, { summary_index: 0, text }) +
					this.#part("response.reasoning_summary_part.done", index, {
						summary_index: 0,
						part: { type: "summary_text", text },
					})
				);
			}
			case "toolCall":
				return this.#part("response.function_call_arguments.done", index, {
					name: block.name,
					arguments: JSON.stringify(block.arguments),
				});
		}
	}

	#finish(message: AssistantMessage): string {
		const rest = restItem(message, this.#unsealed);
		let sealed = "";
		if (rest) {
			sealed =
				this.#begin(-1, rest) +
				this.#write("response.output_item.done", { output_index: this.#next - 1, item: rest });
			this.#items.push(rest);
		}
		const status = statusOf(message);
		const response = responseOf(message, this.#facts, this.#items, status);
		const ended = sealed + this.#write(`response.${status}`, { response });
		// The vendor's own clients take a failed response for an answer, and only an error for one.
		return status === "failed"
			? ended + this.#write("error", { ...object(response.error), param: null })
			: ended;
	}

	#write(type: string, fields: Json): string {
		return sse({ type, sequence_number: this.#sequence++, ...fields }, type);
	}
}

export function responseDocument(message: AssistantMessage, facts: AnswerFacts): Json {
	const rest = restItem(message);
	const prefixes = { text: "msg", thinking: "rs", toolCall: "fc" } as const;
	const items = message.content.map((block) => {
		const { itemId = `${prefixes[block.type]}_${shortId()}` } =
			block.type === "toolCall" ? splitCallId(block.id) : {};
		return itemOf(message, block, itemId);
	});
	return responseOf(message, facts, rest ? [...items, rest] : items, statusOf(message));
}

function itemOf(message: AssistantMessage, block: AssistantContent, id: string): Json {
	switch (block.type) {
		case "text": {
			const content = [{ type: "output_text", text: block.text, annotations: [], logprobs: [] }];
			return { id, type: "message", status: "completed", role: "assistant", content };
		}
		case "thinking": {
			const sealed = sealThinking(message, block);
			const summary = block.redacted ? [] : [{ type: "summary_text", text: block.thinking }];
			return {
				id,
				type: "reasoning",
				summary,
				...(sealed === undefined ? {} : { encrypted_content: sealed }),
			};
		}
		case "toolCall": {
			const { callId } = splitCallId(block.id);
			const args = JSON.stringify(block.arguments);
			return {
				id,
				type: "function_call",
				status: "completed",
				call_id: callId,
				name: block.name,
				arguments: args,
			};
		}
	}
}

/** What is to come back and belongs to no reasoning, as an item of its own. */
function restItem(message: AssistantMessage, unsealed?: ReadonlySet<number>): Json | undefined {
	const rest = sealRest(message, unsealed);
	return rest === undefined
		? undefined
		: { id: `rs_${shortId()}`, type: "reasoning", summary: [], encrypted_content: rest };
}

type Status = "in_progress" | "completed" | "incomplete" | "failed";

function statusOf({ stopReason, failure }: AssistantMessage): Status {
	if (failure) return failure.kind === "refusal" ? "incomplete" : "failed";
	return stopReason === "length" ? "incomplete" : "completed";
}

function responseOf(
	message: AssistantMessage,
	facts: AnswerFacts,
	output: readonly Json[],
	status: Status,
): Json {
	const { id, model, created } = facts;
	const { failure } = message;
	const reason = failure?.kind === "refusal" ? "content_filter" : "max_output_tokens";
	const { message: text, code, resets_in_seconds: wait } = object(failure && errorBody(failure).error);
	return {
		id: id.startsWith("resp_") ? id : `resp_${id}`,
		object: "response",
		created_at: created,
		status,
		error:
			status === "failed"
				? {
						code: code ?? "server_error",
						message: text,
						...(wait === undefined ? {} : { resets_in_seconds: wait }),
					}
				: null,
		incomplete_details: status === "incomplete" ? { reason } : null,
		instructions: null,
		metadata: {},
		model: message.responseModel ?? model,
		output,
		parallel_tool_calls: true,
		temperature: null,
		tool_choice: "auto",
		tools: [],
		top_p: null,
		...(status === "in_progress" ? {} : { usage: usageOf(message.usage) }),
	};
}

function usageOf({ input, output, cacheRead, cacheWrite }: Usage): Json {
	const all = input + cacheRead + cacheWrite;
	return {
		input_tokens: all,
		input_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
		output_tokens: output,
		output_tokens_details: { reasoning_tokens: 0 },
		total_tokens: all + output,
	};
}
