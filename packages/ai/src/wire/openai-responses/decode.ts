/** Decodes the event stream of the Responses API and of compatible servers. */
import type { MessageBuilder } from "../../message-builder.ts";
import { classify, failure } from "../../failure.ts";
import { count, isObject, list, object, parseObject, string, type Json } from "../../json.ts";
import type { Failure } from "../../types.ts";
import { endedEarly, notJson, reportedError } from "../broken.ts";
import type { Decoder, ServerEvent } from "../codec.ts";
import { finish, type Endings } from "../endings.ts";
import { joinCallId, writeReasoning, writeTextSignature } from "./signatures.ts";

/** The status of a response, or the reason why it is incomplete. */
const endings: Endings = {
	completed: "complete",
	done: "complete",
	// Some servers do not update the status.
	in_progress: "complete",
	incomplete: "length",
	max_output_tokens: "length",
	max_tokens: "length",
	content_filter: ["refusal", "The provider's content filter stopped the answer"],
	failed: ["unknown", "The provider ended the answer without a reason"],
	cancelled: ["unknown", "The provider cancelled the answer"],
};

type Kind = "message" | "reasoning" | "function_call" | "other";

/** An output item of the server: one of our blocks, or an unknown kind. */
interface Item {
	kind: Kind;
	/** The number of its block; -1 for none. */
	block: number;
	/** The parts that have content. */
	parts: Set<string>;
	/** The current part. */
	part: string;
	ended: boolean;
}

/** An event about an item's content: a piece of a part, or at the end all of it. */
interface Speech {
	kind: Exclude<Kind, "other">;
	/** The field with the part's number; a call has only one part. */
	part: "content_index" | "summary_index" | "";
	field: string;
	whole: boolean;
}

const speeches: ReadonlyMap<unknown, Speech> = new Map([
	...speech("response.output_text", "message", "content_index", "text"),
	...speech("response.refusal", "message", "content_index", "refusal"),
	...speech("response.reasoning_summary_text", "reasoning", "summary_index", "text"),
	...speech("response.reasoning_text", "reasoning", "content_index", "text"),
	...speech("response.function_call_arguments", "function_call", "", "arguments"),
]);

export class ResponsesDecoder implements Decoder {
	readonly #builder: MessageBuilder;
	/** By the server's number: ids do not help, as one gateway gives an item another id in each event. */
	readonly #items = new Map<number, Item>();
	#last: Item | undefined;

	constructor(builder: MessageBuilder) {
		this.#builder = builder;
	}

	event(serverEvent: ServerEvent): Failure | undefined {
		// The API does not send it, some compatible servers do.
		if (serverEvent.data === "[DONE]") return this.end();
		const event = parseObject(serverEvent.data);
		if (event && isWhole(event)) return this.#finish(event, "completed");
		if (event?.object === "response.compaction") return this.#compacted(event);
		const error = reportedError(serverEvent, event);
		if (error) {
			this.#usage(event?.usage ?? object(event?.response).usage);
			return error;
		}
		if (!event) return notJson(serverEvent.data);
		const content = speeches.get(event.type);
		if (content) {
			this.#addContent(content, event);
			return undefined;
		}
		switch (event.type) {
			case "response.created":
			case "response.queued":
			case "response.in_progress":
				this.#start(object(event.response));
				return undefined;
			case "response.output_item.added":
				this.#announce(numberOf(event), object(event.item));
				return undefined;
			case "response.output_item.done":
				this.#finishItem(numberOf(event), object(event.item));
				return undefined;
			case "response.completed":
			case "response.incomplete":
			case "response.failed":
			case "response.cancelled":
			case "response.done":
				return this.#finish(object(event.response), string(event.type).slice("response.".length));
			default:
				// Starts and ends of parts, tools of the server, events of a future API.
				return undefined;
		}
	}

	end(): Failure | undefined {
		return endedEarly();
	}

	#start(response: Json): void {
		this.#builder.start();
		const id = string(response.id);
		if (id) this.#builder.message.responseId = id;
	}

	/**
	 * Some servers give all items the same number: one that ended, or is of another kind, is replaced by the next.
	 */
	#announce(number: number | undefined, item: Json): void {
		const known = this.#find(number);
		const isSame = number !== undefined && known?.kind === kindOf(item.type) && !known.ended;
		if (!isSame) this.#add(number, item);
	}

	/** Some servers do not number their items: then each follows the previous one. */
	#find(number: number | undefined): Item | undefined {
		return number === undefined ? this.#last : this.#items.get(number);
	}

	#add(number: number | undefined, item: Json): Item {
		const kind = kindOf(item.type);
		const added: Item = { kind, block: this.#open(kind, item), parts: new Set(), part: "", ended: false };
		this.#items.set(number ?? this.#items.size, added);
		this.#last = added;
		return added;
	}

	#open(kind: Kind, item: Json): number {
		switch (kind) {
			case "message":
				return this.#builder.openText(writeTextSignature(item));
			case "reasoning":
				return this.#builder.openThinking();
			case "function_call":
				return this.#builder.openToolCall(joinCallId(item), string(item.name));
			case "other":
				return -1;
		}
	}

	#addContent({ kind, part, field, whole }: Speech, event: Json): void {
		const text = string(event[field]);
		const item = text === "" ? undefined : this.#itemOf(event, kind);
		if (!item) return;
		const name = part + count(event[part]);
		// A server may send a part in pieces, at once, or both: content is not repeated.
		if (whole && item.parts.has(name)) return;
		if (item.part !== name) {
			if (kind === "reasoning" && item.part !== "") this.#builder.append(item.block, "\n\n");
			item.parts.add(name);
			item.part = name;
		}
		this.#builder.append(item.block, text);
	}

	/**
	 * Also creates text and thinking for servers that do not announce their items; a call without its name is
	 * ignored.
	 */
	#itemOf(event: Json, kind: Speech["kind"]): Item | undefined {
		const number = numberOf(event);
		const known = this.#find(number);
		if (known?.kind === kind) return known;
		const isForeign = number !== undefined && known?.kind === "other";
		return isForeign || kind === "function_call" ? undefined : this.#add(number, { type: kind });
	}

	#finishItem(number: number | undefined, item: Json): void {
		const known = this.#find(number);
		const continues = known?.kind === kindOf(item.type) && (number !== undefined || !known.ended);
		const ending = continues ? known : this.#add(number, item);
		const { kind, block, parts } = ending;
		if (kind === "other") return;
		if (parts.size === 0) {
			this.#builder.append(block, wholeParts(item).join(kind === "reasoning" ? "\n\n" : ""));
		}
		this.#sign(kind, block, item);
		this.#builder.close(block);
		ending.ended = true;
	}

	/** The signature that the server expects back with the block, once it is complete. */
	#sign(kind: Kind, block: number, item: Json): void {
		if (kind === "reasoning") {
			const signature = writeReasoning(item);
			if (signature) this.#builder.sign(block, signature);
			return;
		}
		const content = this.#builder.message.content[block];
		const signature = content?.type === "text" ? writeTextSignature(item) : undefined;
		if (content?.type === "text" && signature) content.textSignature = signature;
	}

	#finish(response: Json, event: string): Failure | undefined {
		this.#start(response);
		this.#usage(response.usage);
		// Some gateways send no events but this one.
		if (this.#items.size === 0) {
			for (const [number, item] of list(response.output).entries()) this.#finishItem(number, object(item));
		}
		const status = string(response.status) || event;
		if (isObject(response.error)) return classify({ body: response });
		const detail = status === "incomplete" ? string(object(response.incomplete_details).reason) : "";
		return finish(this.#builder, endings, detail || status);
	}

	/** The server's own form of the conversation. The system prompt is sent with each request, so it is left out. */
	#compacted(response: Json): Failure | undefined {
		this.#start(response);
		this.#usage(response.usage);
		const items = list(response.output)
			.map(object)
			.filter(({ role }) => role !== "developer" && role !== "system");
		if (items.length === 0)
			return failure("invalid_response", "The server compacted the conversation to nothing");
		this.#builder.message.compacted = { provider: this.#builder.message.provider, items };
		this.#builder.done("stop");
		return undefined;
	}

	#usage(usage: unknown): void {
		if (!isObject(usage)) return;
		const details = object(usage.input_tokens_details);
		const [cacheRead, cacheWrite] = [count(details.cached_tokens), count(details.cache_write_tokens)];
		this.#builder.setUsage({
			// The server's input count includes cached tokens; ours does not. The output includes the reasoning, as
			// ours.
			input: Math.max(0, count(usage.input_tokens) - cacheRead - cacheWrite),
			output: count(usage.output_tokens),
			cacheRead,
			cacheWrite,
		});
	}
}

function speech(
	name: string,
	kind: Speech["kind"],
	part: Speech["part"],
	wholeField: string,
): [string, Speech][] {
	return [
		[`${name}.delta`, { kind, part, field: "delta", whole: false }],
		[`${name}.done`, { kind, part, field: wholeField, whole: true }],
	];
}

/** A server that does not stream sends the response itself. */
function isWhole(event: Json): boolean {
	return event.object === "response" && Array.isArray(event.output);
}

function numberOf({ output_index: number }: Json): number | undefined {
	return typeof number === "number" ? number : undefined;
}

function kindOf(type: unknown): Kind {
	return type === "message" || type === "reasoning" || type === "function_call" ? type : "other";
}

/** The complete content of an item, from its last event. */
function wholeParts(item: Json): string[] {
	if (item.type === "function_call") return [string(item.arguments)].filter(Boolean);
	const summary = list(item.summary);
	return (summary.length > 0 ? summary : list(item.content))
		.map((part) => string(object(part).text) || string(object(part).refusal))
		.filter(Boolean);
}
