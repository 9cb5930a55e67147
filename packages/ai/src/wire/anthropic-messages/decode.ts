/** Decodes the event stream of the Anthropic Messages API. */
import type { MessageBuilder } from "../../message-builder.ts";
import type { Failure } from "../../types.ts";
import { endedEarly, notJson, reportedError } from "../broken.ts";
import type { Decoder, ServerEvent } from "../codec.ts";
import { finish, type Endings } from "../endings.ts";
import { count, isObject, list, object, parseObject, string, type Json } from "../../json.ts";

const endings: Endings = {
	end_turn: "complete",
	stop_sequence: "complete",
	tool_use: "complete",
	// A server tool takes a break. Tau offers none, so nothing is missing.
	pause_turn: "complete",
	max_tokens: "length",
	model_context_window_exceeded: "length",
	refusal: ["refusal", "The model refused to answer"],
	// Of compatible servers.
	sensitive: ["refusal", "The provider's content filter stopped the answer (sensitive)"],
	content_filter: ["refusal", "The provider's content filter stopped the answer"],
};

export class AnthropicDecoder implements Decoder {
	readonly #builder: MessageBuilder;
	/** The server's block numbers are not ours: it may skip some. */
	readonly #blocks = new Map<number, number>();
	#stopReason = "";
	#refusal = "";

	constructor(builder: MessageBuilder) {
		this.#builder = builder;
	}

	event(serverEvent: ServerEvent): Failure | undefined {
		const event = parseObject(serverEvent.data);
		const error = reportedError(serverEvent, event);
		if (error) {
			this.#usage(event?.usage);
			return error;
		}
		if (!event) return notJson(serverEvent.data);
		switch (event.type) {
			case "message_start":
				this.#start(object(event.message));
				return undefined;
			case "content_block_start":
				this.#open(count(event.index), object(event.content_block));
				return undefined;
			case "content_block_delta":
				this.#delta(count(event.index), object(event.delta));
				return undefined;
			case "content_block_stop":
				this.#builder.close(this.#blocks.get(count(event.index)) ?? -1);
				return undefined;
			case "message_delta":
				this.#stop(object(event.delta));
				this.#usage(event.usage);
				return undefined;
			case "message_stop":
				return this.#finish();
			case "message":
				return this.#whole(event);
			default:
				// `ping`, and events of a future API: the version policy says to ignore them.
				return undefined;
		}
	}

	/** Some gateways close without `message_stop`; a stop reason is enough to know that the answer is complete. */
	end(): Failure | undefined {
		if (this.#stopReason !== "") return this.#finish();
		return endedEarly();
	}

	/** The answer of a server that does not stream. */
	#whole(message: Json): Failure | undefined {
		this.#start(message);
		for (const [index, block] of list(message.content).entries()) {
			this.#open(index, object(block));
			this.#builder.close(this.#blocks.get(index) ?? -1);
		}
		this.#stop(message);
		return this.#finish();
	}

	#start(message: Json): void {
		this.#builder.start();
		const [id, model] = [string(message.id), string(message.model)];
		if (id) this.#builder.message.responseId = id;
		if (model && model !== this.#builder.message.model) this.#builder.message.responseModel = model;
		this.#usage(message.usage);
	}

	#open(index: number, block: Json): void {
		const builder = this.#builder;
		switch (block.type) {
			case "text":
				this.#blocks.set(index, builder.openText());
				this.#append(index, string(block.text));
				return;
			case "thinking":
				this.#blocks.set(index, builder.openThinking());
				this.#append(index, string(block.thinking));
				this.#sign(index, string(block.signature));
				return;
			case "redacted_thinking":
				this.#blocks.set(
					index,
					builder.openThinking({ thinkingSignature: string(block.data), redacted: true }),
				);
				return;
			case "tool_use":
				this.#blocks.set(index, builder.openToolCall(string(block.id), string(block.name)));
				// Some gateways send the whole input here and no deltas.
				if (isObject(block.input) && Object.keys(block.input).length > 0) {
					this.#append(index, JSON.stringify(block.input));
				}
				return;
			default:
				return;
		}
	}

	#delta(index: number, delta: Json): void {
		switch (delta.type) {
			case "text_delta":
				this.#append(index, string(delta.text));
				return;
			case "thinking_delta":
				this.#append(index, string(delta.thinking));
				return;
			case "input_json_delta":
				this.#append(index, string(delta.partial_json));
				return;
			case "signature_delta":
				this.#sign(index, string(delta.signature));
				return;
			default:
				return;
		}
	}

	#append(index: number, text: string): void {
		this.#builder.append(this.#blocks.get(index) ?? -1, text);
	}

	#sign(index: number, signature: string): void {
		if (signature !== "") this.#builder.sign(this.#blocks.get(index) ?? -1, signature);
	}

	/** `message_delta` repeats the counts as totals; gateways may omit some. */
	#usage(usage: unknown): void {
		if (!isObject(usage)) return;
		const now = this.#builder.message.usage;
		const total = (field: string, before: number): number =>
			usage[field] === undefined || usage[field] === null ? before : count(usage[field]);
		this.#builder.setUsage({
			input: total("input_tokens", now.input),
			output: total("output_tokens", now.output),
			cacheRead: total("cache_read_input_tokens", now.cacheRead),
			cacheWrite: total("cache_creation_input_tokens", now.cacheWrite),
		});
	}

	#stop(delta: Json): void {
		this.#stopReason = string(delta.stop_reason) || this.#stopReason;
		this.#refusal = string(object(delta.stop_details).explanation) || this.#refusal;
	}

	#finish(): Failure | undefined {
		return finish(this.#builder, endings, this.#stopReason, this.#refusal);
	}
}
