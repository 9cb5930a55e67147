/** Understands the chunk stream of the OpenAI Chat Completions API and of those who speak like it. */
import type { Draft } from "../../draft.ts";
import { classify, failure } from "../../failure.ts";
import type { Failure } from "../../types.ts";
import type { Decoder, ServerEvent } from "../codec.ts";
import { count, isObject, list, object, parseObject, string, type Json } from "../json.ts";

/** Where compatible servers put the model's thinking; the API itself does not show it. */
const thinkingFields = ["reasoning_content", "reasoning", "reasoning_text"] as const;

export class CompletionsDecoder implements Decoder {
	readonly #draft: Draft;
	/** Open tool calls by the server's number, which may interleave. */
	readonly #calls = new Map<number, { id: string; index: number }>();
	#prose: { kind: "text" | "thinking"; index: number } | undefined;
	#finishReason = "";

	constructor(draft: Draft) {
		this.#draft = draft;
	}

	event({ data }: ServerEvent): Failure | undefined {
		if (data === "[DONE]") return this.#finish();
		const chunk = parseObject(data);
		if (!chunk) return failure("network", `The server sent a chunk that is not JSON: ${data}`);
		if (chunk.error !== undefined && chunk.error !== null) return classify({ body: chunk });
		this.#draft.start();
		const id = string(chunk.id);
		if (id) this.#draft.message.responseId = id;
		const choice = object(list(chunk.choices)[0]);
		this.#delta(object(choice.delta));
		this.#finishReason = string(choice.finish_reason) || this.#finishReason;
		this.#usage(chunk.usage ?? choice.usage);
		return undefined;
	}

	/** Some servers close without `[DONE]`; a finish reason is enough to know that all was said. */
	end(): Failure | undefined {
		if (this.#finishReason !== "") return this.#finish();
		return failure("network", "The server closed the stream before the answer was complete");
	}

	#delta(delta: Json): void {
		const field = thinkingFields.find((name) => string(delta[name]) !== "");
		if (field) this.#say("thinking", string(delta[field]));
		this.#say("text", string(delta.content));
		this.#say("text", string(delta.refusal));
		list(delta.tool_calls).forEach((call, position) => this.#call(object(call), position));
	}

	#say(kind: "text" | "thinking", text: string): void {
		if (text === "") return;
		if (this.#prose?.kind !== kind) {
			this.#endProse();
			const index = kind === "text" ? this.#draft.openText() : this.#draft.openThinking();
			this.#prose = { kind, index };
		}
		this.#draft.append(this.#prose.index, text);
	}

	#call(call: Json, position: number): void {
		const number = typeof call.index === "number" ? call.index : position;
		const fn = object(call.function);
		const id = string(call.id);
		let open = this.#calls.get(number);
		// Some servers number every call 0 and tell them apart by id alone.
		if (!open || (id !== "" && id !== open.id && string(fn.name) !== "")) {
			this.#endProse();
			// A few servers send no id; the result only has to find its call again.
			const named = id || `call_${crypto.randomUUID()}`;
			open = { id: named, index: this.#draft.openToolCall(named, string(fn.name)) };
			this.#calls.set(number, open);
		}
		this.#draft.append(open.index, string(fn.arguments));
	}

	#endProse(): void {
		if (this.#prose) this.#draft.close(this.#prose.index);
		this.#prose = undefined;
	}

	#usage(usage: unknown): void {
		if (!isObject(usage)) return;
		const details = object(usage.prompt_tokens_details);
		const cacheRead = count(details.cached_tokens);
		const cacheWrite = count(details.cache_write_tokens);
		this.#draft.setUsage({
			// The prompt count includes what came from the cache; ours does not.
			input: Math.max(0, count(usage.prompt_tokens) - cacheRead - cacheWrite),
			output: count(usage.completion_tokens),
			cacheRead,
			cacheWrite,
		});
	}

	#finish(): Failure | undefined {
		if (this.#finishReason === "content_filter") {
			return failure("refusal", "The provider's content filter stopped the answer");
		}
		const called = this.#draft.message.content.some((block) => block.type === "toolCall");
		this.#draft.done(this.#finishReason === "length" ? "length" : called ? "toolUse" : "stop");
		return undefined;
	}
}
