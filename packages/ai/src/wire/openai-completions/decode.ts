/** Decodes the chunk stream of the OpenAI Chat Completions API and of compatible servers. */
import type { MessageBuilder } from "../../message-builder.ts";
import { isObject, list, object, parseObject, string, type Json, count } from "../../json.ts";
import type { Failure, ThinkingContent, Usage } from "../../types.ts";
import { endedEarly, notJson, reportedError } from "../broken.ts";
import type { Decoder, ServerEvent } from "../codec.ts";
import { finish, type Endings } from "../endings.ts";
import { Prose } from "../prose.ts";
import { thinkingFields } from "../thinking-field.ts";
import { ReasoningDetails } from "./reasoning-details.ts";

/** Finish reasons of the API and of compatible servers. */
const endings: Endings = {
	stop: "complete",
	tool_calls: "complete",
	function_call: "complete",
	end_turn: "complete",
	stop_sequence: "complete",
	tool_use: "complete",
	eos: "complete",
	eos_token: "complete",
	complete: "complete",
	end: "complete",
	length: "length",
	max_tokens: "length",
	max_output_tokens: "length",
	model_length: "length",
	model_context_window_exceeded: "length",
	content_filter: ["refusal", "The provider's content filter stopped the answer"],
	sensitive: ["refusal", "The provider's content filter stopped the answer (sensitive)"],
	safety: ["refusal", "The provider's safety filter stopped the answer"],
	refusal: ["refusal", "The model refused to answer"],
	malformed_function_call: ["invalid_response", "The model wrote an invalid tool call"],
	insufficient_system_resource: ["overloaded", "The provider ran out of resources during the answer"],
	network_error: ["network", "The provider lost the connection to the model"],
	error: ["unknown", "The provider ended the answer with an error"],
};

interface OpenCall {
	id: string;
	name: string;
	index: number;
	hasArguments: boolean;
}

export class CompletionsDecoder implements Decoder {
	readonly #builder: MessageBuilder;
	/** Open tool calls by the server's number, which may interleave. */
	readonly #calls = new Map<number, OpenCall>();
	readonly #details = new ReasoningDetails();
	readonly #prose: Prose;
	/** The thinking block of the details. */
	#thoughts: ThinkingContent | undefined;
	#finishReason = "";

	constructor(builder: MessageBuilder) {
		this.#builder = builder;
		this.#prose = new Prose(builder);
	}

	event(event: ServerEvent): Failure | undefined {
		if (event.data === "[DONE]") return this.#finish();
		const chunk = parseObject(event.data);
		const error = reportedError(event, chunk);
		if (chunk) this.#usage(chunk);
		if (error) return error;
		if (!chunk) return notJson(event.data, "a chunk");
		this.#builder.start();
		const id = string(chunk.id);
		const { message } = this.#builder;
		if (id) message.responseId = id;
		const model = string(chunk.model);
		if (model && model !== message.model) message.responseModel = model;
		const choice = object(list(chunk.choices)[0]);
		// Servers that do not stream send the whole message.
		this.#delta(object(choice.delta ?? choice.message));
		this.#finishReason = string(choice.finish_reason) || this.#finishReason;
		return undefined;
	}

	#usage(chunk: Json): void {
		const usage = chunk.usage ?? object(list(chunk.choices)[0]).usage ?? object(chunk.x_groq).usage;
		if (isObject(usage)) this.#builder.setUsage(readUsage(usage));
	}

	/** Some servers close without `[DONE]`; a finish reason is enough to know that the answer is complete. */
	end(): Failure | undefined {
		if (this.#finishReason !== "") return this.#finish();
		return endedEarly();
	}

	#delta(delta: Json): void {
		const field = thinkingFields.find((name) => string(delta[name]) !== "");
		if (field) this.#think(string(delta[field]), field);
		if (this.#details.add(delta.reasoning_details) && !this.#thoughts) {
			this.#prose.begin("thinking");
			this.#keepThoughts();
		}
		if (Array.isArray(delta.content)) delta.content.forEach((part) => this.#part(object(part)));
		else this.#prose.append("text", string(delta.content));
		this.#prose.append("text", string(delta.refusal));
		list(delta.tool_calls).forEach((call, position) => this.#call(object(call), position));
	}

	/** A few servers send parts, in the form of requests, with thinking in separate parts. */
	#part(part: Json): void {
		if (part.type !== "thinking") this.#prose.append("text", string(part.text));
		else if (!Array.isArray(part.thinking)) this.#think(string(part.thinking));
		else for (const thought of part.thinking) this.#think(string(object(thought).text));
	}

	#think(thought: string, field = ""): void {
		this.#prose.append("thinking", thought, field);
		this.#keepThoughts();
	}

	#keepThoughts(): void {
		const block = this.#builder.message.content[this.#prose.index];
		if (block?.type === "thinking") this.#thoughts ??= block;
	}

	#call(call: Json, position: number): void {
		const number = typeof call.index === "number" ? call.index : position;
		const fn = object(call.function);
		const [id, name, json] = [string(call.id), string(fn.name), string(fn.arguments)];
		let open = this.#calls.get(number);
		if (!open || isAnother(open, id, name)) {
			this.#prose.end();
			open = { id, name, index: this.#builder.openToolCall(id, name), hasArguments: false };
			this.#calls.set(number, open);
		}
		if (json !== "") open.hasArguments = true;
		this.#builder.append(open.index, json);
	}

	#finish(): Failure | undefined {
		this.#sign();
		return finish(this.#builder, endings, this.#finishReason);
	}

	/** The pieces of a signature may come after the thinking, with the calls that followed from it. */
	#sign(): void {
		const { signature } = this.#details;
		if (!this.#thoughts || signature === undefined) return;
		this.#thoughts.thinkingSignature = signature;
		if (this.#thoughts.thinking === "") this.#thoughts.redacted = true;
	}
}

/** Some servers number every call 0 and distinguish them by id; some give no id either, but complete calls. */
function isAnother(open: OpenCall, id: string, name: string): boolean {
	if (name === "") return false;
	return id === "" ? open.hasArguments || name !== open.name : id !== open.id;
}

/** The token counts of a Chat Completions answer, under all the names that servers use. */
type Counts = Pick<Usage, "input" | "output" | "cacheRead" | "cacheWrite">;

function readUsage(usage: Json): Counts {
	const prompt = object(usage.prompt_tokens_details ?? usage.input_tokens_details);
	const cacheRead = count(
		prompt.cached_tokens ??
			// DeepSeek's name, Moonshot's, and that of proxies in front of Anthropic.
			usage.prompt_cache_hit_tokens ??
			usage.cached_tokens ??
			usage.cache_read_input_tokens,
	);
	const cacheWrite = count(
		prompt.cache_write_tokens ?? prompt.cache_creation_tokens ?? usage.cache_creation_input_tokens,
	);
	const input = count(usage.prompt_tokens ?? usage.input_tokens);
	return {
		// The server's prompt count includes cached tokens; ours does not.
		input: Math.max(0, input - cacheRead - cacheWrite),
		output: readOutput(usage, input),
		cacheRead,
		cacheWrite,
	};
}

/**
 * Thinking is part of the answer's count, except for a vendor that counts it separately: only its total shows that.
 */
function readOutput(usage: Json, input: number): number {
	const output = count(usage.completion_tokens ?? usage.output_tokens);
	const thinking = count(object(usage.completion_tokens_details).reasoning_tokens);
	const isBeside = count(usage.total_tokens) === input + output + thinking;
	return isBeside ? output + thinking : output;
}
