/** Understands the chunk stream of the OpenAI Chat Completions API and of those who speak like it. */
import type { Draft } from "../../draft.ts";
import { classify, failure } from "../../failure.ts";
import type { Failure, FailureKind } from "../../types.ts";
import type { Decoder, ServerEvent } from "../codec.ts";
import { count, isObject, list, object, parseObject, string, type Json } from "../../json.ts";

/** Where compatible servers put the model's thinking; the API itself does not show it. */
const thinkingFields = ["reasoning_content", "reasoning", "reasoning_text"] as const;

/** Finish reasons that are no good end, among them those of servers that only speak like OpenAI. */
const badEnds = new Map<string, [kind: FailureKind, message: string]>([
	["content_filter", ["refusal", "The provider's content filter stopped the answer"]],
	["insufficient_system_resource", ["overloaded", "The provider ran out of resources during the answer"]],
	["error", ["unknown", "The provider ended the answer with an error"]],
]);

interface OpenCall {
	id: string;
	name: string;
	index: number;
	hasArguments: boolean;
}

export class CompletionsDecoder implements Decoder {
	readonly #draft: Draft;
	/** Open tool calls by the server's number, which may interleave. */
	readonly #calls = new Map<number, OpenCall>();
	#prose: { kind: "text" | "thinking"; index: number } | undefined;
	#finishReason = "";

	constructor(draft: Draft) {
		this.#draft = draft;
	}

	event({ data }: ServerEvent): Failure | undefined {
		if (data === "[DONE]") return this.#finish();
		const chunk = parseObject(data);
		if (!chunk) return failure("network", `The server sent a chunk that is not JSON: ${data}`);
		if (isError(chunk)) return classify({ body: chunk });
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
		const [id, name, json] = [string(call.id), string(fn.name), string(fn.arguments)];
		let open = this.#calls.get(number);
		if (!open || isAnother(open, id, name)) {
			this.#endProse();
			open = { id, name, index: this.#draft.openToolCall(id, name), hasArguments: false };
			this.#calls.set(number, open);
		}
		if (json !== "") open.hasArguments = true;
		this.#draft.append(open.index, json);
	}

	#endProse(): void {
		if (this.#prose) this.#draft.close(this.#prose.index);
		this.#prose = undefined;
	}

	#usage(usage: unknown): void {
		if (!isObject(usage)) return;
		const details = object(usage.prompt_tokens_details);
		// The second is DeepSeek's name for it.
		const cacheRead = count(details.cached_tokens ?? usage.prompt_cache_hit_tokens);
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
		const bad = badEnds.get(this.#finishReason);
		if (bad) return failure(...bad);
		this.#draft.done(this.#finishReason === "length" ? "length" : this.#draft.wholeReason);
		return undefined;
	}
}

function isError(chunk: Json): boolean {
	return (chunk.error !== undefined && chunk.error !== null) || chunk.object === "error";
}

/** Some servers number every call 0 and tell them apart by id; some give no id either, but whole calls. */
function isAnother(open: OpenCall, id: string, name: string): boolean {
	if (name === "") return false;
	return id === "" ? open.hasArguments || name !== open.name : id !== open.id;
}
