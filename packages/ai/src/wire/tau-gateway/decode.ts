/** Decodes the event stream of a Tau gateway: the events of an answer without the partial message. */
import type { MessageBuilder } from "../../message-builder.ts";
import { classify, failure } from "../../failure.ts";
import { count, isObject, parseObject, string, type Json } from "../../json.ts";
import type { Failure, FailureKind, Usage } from "../../types.ts";
import { endedEarly, notJson, reportedError } from "../broken.ts";
import type { Decoder, ServerEvent } from "../codec.ts";
import { finish, type Endings } from "../endings.ts";

const endings: Endings = { stop: "complete", tooluse: "complete", length: "length" };

const kinds: readonly string[] = [
	"rate_limit",
	"overloaded",
	"auth",
	"overflow",
	"network",
	"timeout",
	"refusal",
	"invalid_request",
	"invalid_response",
	"unknown",
] satisfies FailureKind[];

export class GatewayDecoder implements Decoder {
	readonly #builder: MessageBuilder;
	/** The gateway's block numbers, which need not be ours. */
	readonly #blocks = new Map<number, number>();

	constructor(builder: MessageBuilder) {
		this.#builder = builder;
	}

	event(serverEvent: ServerEvent): Failure | undefined {
		const event = parseObject(serverEvent.data);
		if (!event) {
			return reportedError(serverEvent, event) ?? notJson(serverEvent.data, "an event", "gateway");
		}
		switch (event.type) {
			case "start":
				this.#builder.start();
				return undefined;
			case "text_start":
				this.#open(event, this.#builder.openText());
				return undefined;
			case "thinking_start":
				this.#open(event, this.#builder.openThinking(redacted(event)));
				return undefined;
			case "toolcall_start":
				this.#open(event, this.#builder.openToolCall(string(event.id), string(event.toolName)));
				return undefined;
			case "text_delta":
			case "thinking_delta":
			case "toolcall_delta":
				this.#builder.append(this.#block(event), string(event.delta));
				return undefined;
			case "text_end":
			case "thinking_end":
			case "toolcall_end":
				if (string(event.signature) !== "") this.#builder.sign(this.#block(event), string(event.signature));
				this.#builder.close(this.#block(event));
				return undefined;
			case "done":
			case "error":
				return this.#finish(event);
			default:
				// A newer gateway may send unknown events; a proxy in front of it, errors of its own.
				if (isObject(event.usage)) this.#builder.setUsage(readUsage(event.usage));
				return reportedError(serverEvent, event);
		}
	}

	end(): Failure | undefined {
		return endedEarly("gateway");
	}

	#open(event: Json, index: number): void {
		this.#blocks.set(count(event.contentIndex), index);
	}

	#block(event: Json): number {
		return this.#blocks.get(count(event.contentIndex)) ?? -1;
	}

	#finish(event: Json): Failure | undefined {
		if (isObject(event.usage)) this.#builder.setUsage(readUsage(event.usage));
		const id = string(event.responseId);
		if (id) this.#builder.message.responseId = id;
		if (event.type === "error") return readFailure(event.failure ?? event);
		return finish(this.#builder, endings, string(event.reason));
	}
}

function redacted(event: Json): { thinkingSignature: string; redacted: true } | undefined {
	return event.redacted === true ? { thinkingSignature: "", redacted: true } : undefined;
}

function readUsage(usage: Json): Omit<Usage, "cost" | "totalTokens"> {
	return {
		input: count(usage.input),
		output: count(usage.output),
		cacheRead: count(usage.cacheRead),
		cacheWrite: count(usage.cacheWrite),
	};
}

/** The gateway has already classified the failure; an unknown kind is classified again. */
function readFailure(value: unknown): Failure {
	if (!isObject(value) || !kinds.includes(string(value.kind))) return classify({ body: value });
	const kind = value.kind as FailureKind;
	return failure(kind, string(value.message) || kind, {
		...(typeof value.status === "number" ? { status: value.status } : {}),
		...(typeof value.retryAfterMs === "number" ? { retryAfterMs: value.retryAfterMs } : {}),
	});
}
