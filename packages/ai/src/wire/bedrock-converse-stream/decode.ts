/** Decodes the event stream of ConverseStream. */
import type { MessageBuilder } from "../../message-builder.ts";
import { classify } from "../../failure.ts";
import { count, isObject, object, parseObject, string, type Json } from "../../json.ts";
import type { Failure } from "../../types.ts";
import { endedEarly, notJson, reportedError } from "../broken.ts";
import type { Decoder, ServerEvent } from "../codec.ts";
import { finish, type Endings } from "../endings.ts";

const endings: Endings = {
	end_turn: "complete",
	tool_use: "complete",
	stop_sequence: "complete",
	max_tokens: "length",
	model_context_window_exceeded: "length",
	refusal: ["refusal", "The model refused to answer"],
	guardrail_intervened: ["refusal", "A guardrail stopped the answer"],
	content_filtered: ["refusal", "The provider's content filter stopped the answer"],
	malformed_model_output: ["invalid_response", "The provider could not parse the model's output"],
	malformed_tool_use: ["invalid_response", "The provider could not parse the model's tool call"],
};

interface OpenBlock {
	kind: "text" | "thinking" | "toolCall" | "redacted";
	index: number;
	/** Bytes of hidden thinking that do not fill a base64 group yet. */
	rest: Buffer;
}

export class BedrockDecoder implements Decoder {
	readonly #builder: MessageBuilder;
	/** By the server's block numbers, which are not ours: it may skip some. */
	readonly #blocks = new Map<number, OpenBlock>();
	#stopReason = "";

	constructor(builder: MessageBuilder) {
		this.#builder = builder;
	}

	event(event: ServerEvent): Failure | undefined {
		const { event: name, data } = event;
		const payload = parseObject(data);
		// All errors of the API have such a name; not all have a reason.
		const isException = /exception$|^error$/i.test(name);
		const body = payload ? { type: name, ...payload } : { type: name, message: data };
		const error = isException ? classify({ body }) : reportedError(event, payload);
		if (error) {
			this.#usage(payload?.usage);
			return error;
		}
		if (!payload) return notJson(data);
		switch (name) {
			case "messageStart":
				this.#builder.start();
				return undefined;
			case "contentBlockStart":
				this.#start(count(payload.contentBlockIndex), object(object(payload.start).toolUse));
				return undefined;
			case "contentBlockDelta":
				this.#delta(count(payload.contentBlockIndex), object(payload.delta));
				return undefined;
			case "contentBlockStop":
				this.#stop(count(payload.contentBlockIndex));
				return undefined;
			case "messageStop":
				this.#stopReason = string(payload.stopReason) || "end_turn";
				return undefined;
			case "metadata":
				this.#usage(payload.usage);
				return this.#stopReason === "" ? undefined : this.#finish();
			default:
				// Unknown events of a future API are ignored.
				return undefined;
		}
	}

	/** The counts come after the stop reason; without them the answer is complete nevertheless. */
	end(): Failure | undefined {
		if (this.#stopReason !== "") return this.#finish();
		return endedEarly();
	}

	/** Only calls are announced. Calls of the server's own tools are ignored. */
	#start(number: number, toolUse: Json): void {
		if (Object.keys(toolUse).length === 0 || toolUse.type === "server_tool_use") return;
		const index = this.#builder.openToolCall(string(toolUse.toolUseId), string(toolUse.name));
		this.#blocks.set(number, { kind: "toolCall", index, rest: Buffer.alloc(0) });
	}

	#delta(number: number, delta: Json): void {
		this.#append(number, "text", string(delta.text));
		const call = this.#blocks.get(number);
		if (call?.kind === "toolCall") this.#builder.append(call.index, string(object(delta.toolUse).input));
		const reasoning = object(delta.reasoningContent);
		this.#append(number, "thinking", string(reasoning.text));
		const signature = string(reasoning.signature);
		if (signature !== "") this.#builder.sign(this.#open(number, "thinking").index, signature);
		const hidden = string(reasoning.redactedContent);
		if (hidden !== "") this.#hide(this.#open(number, "redacted"), hidden);
	}

	#append(number: number, kind: "text" | "thinking", text: string): void {
		if (text !== "") this.#builder.append(this.#open(number, kind).index, text);
	}

	#open(number: number, kind: Exclude<OpenBlock["kind"], "toolCall">): OpenBlock {
		const open = this.#blocks.get(number);
		if (open?.kind === kind) return open;
		this.#stop(number);
		const index = kind === "text" ? this.#builder.openText() : this.#openThinking(kind);
		const opened = { kind, index, rest: Buffer.alloc(0) };
		this.#blocks.set(number, opened);
		return opened;
	}

	#openThinking(kind: "thinking" | "redacted"): number {
		return this.#builder.openThinking(
			kind === "redacted" ? { thinkingSignature: "", redacted: true } : undefined,
		);
	}

	/** Each piece is separate base64; joined, they must be the base64 of the joined bytes. */
	#hide(block: OpenBlock, base64: string): void {
		const bytes = Buffer.concat([block.rest, Buffer.from(base64, "base64")]);
		const whole = bytes.length - (bytes.length % 3);
		this.#builder.sign(block.index, bytes.toString("base64", 0, whole));
		block.rest = bytes.subarray(whole);
	}

	#stop(number: number): void {
		const block = this.#blocks.get(number);
		if (!block) return;
		this.#blocks.delete(number);
		if (block.rest.length > 0) this.#builder.sign(block.index, block.rest.toString("base64"));
		this.#builder.close(block.index);
	}

	#usage(usage: unknown): void {
		if (!isObject(usage)) return;
		this.#builder.setUsage({
			input: count(usage.inputTokens),
			output: count(usage.outputTokens),
			cacheRead: count(usage.cacheReadInputTokens),
			cacheWrite: count(usage.cacheWriteInputTokens),
		});
	}

	#finish(): Failure | undefined {
		for (const number of this.#blocks.keys()) this.#stop(number);
		return finish(this.#builder, endings, this.#stopReason);
	}
}
