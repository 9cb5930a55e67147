/** Builds one assistant message and emits its events in order; every decoder uses it. */
import { EventStream, shortId } from "@tau/utils";

import { failure } from "./failure.ts";
import { isObject } from "./json.ts";
import { limits } from "./limits.ts";
import { GrowingText, IncrementalJson } from "./parse/index.ts";
import type {
	AssistantMessage,
	AssistantMessageEvent,
	Failure,
	Model,
	StopReason,
	TextContent,
	ThinkingContent,
	ToolCall,
	Usage,
} from "./types.ts";
import { addCost, noUsage } from "./usage.ts";

export type AnswerStream = EventStream<AssistantMessageEvent, AssistantMessage>;

type OpenBlock =
	| { kind: "text"; index: number; block: TextContent; text: GrowingText }
	| { kind: "thinking"; index: number; block: ThinkingContent; text: GrowingText }
	| { kind: "toolCall"; index: number; block: ToolCall; json: IncrementalJson };

export class MessageBuilder {
	readonly message: AssistantMessage;
	readonly stream: AnswerStream;
	readonly #model: Model;
	readonly #open = new Map<number, OpenBlock>();
	#started = false;
	#ended = false;
	#chars = 0;
	#progress = 0;
	#isBatch = false;
	/** The last delta of a batch, which may get longer. */
	#pending: { open: OpenBlock; delta: string } | undefined;

	constructor(model: Model, onCancel: () => void = () => {}) {
		this.#model = model;
		this.stream = new EventStream({ merge: mergeDeltas, onCancel });
		this.message = {
			role: "assistant",
			content: [],
			api: model.api,
			provider: model.provider,
			model: model.id,
			usage: noUsage(),
			stopReason: "stop",
			timestamp: Date.now(),
		};
	}

	/** Grows with the answer's content, and with nothing else. */
	get progress(): number {
		return this.#progress;
	}

	get ended(): boolean {
		return this.#ended;
	}

	/** The stop reason of a complete answer, derived from its content: servers are not always right. */
	get wholeReason(): "stop" | "toolUse" {
		return this.message.content.some((block) => block.type === "toolCall") ? "toolUse" : "stop";
	}

	/** Every stream starts, also one that fails before the server's first event. */
	start(): void {
		if (this.#started) return;
		this.#started = true;
		this.stream.push({ type: "start", partial: this.message });
	}

	openText(textSignature?: string): number {
		const block: TextContent = {
			type: "text",
			text: "",
			...(textSignature === undefined ? {} : { textSignature }),
		};
		const index = this.#place({
			kind: "text",
			index: this.message.content.length,
			block,
			text: new GrowingText(),
		});
		this.stream.push({ type: "text_start", contentIndex: index, partial: this.message });
		return index;
	}

	openThinking(signature?: { thinkingSignature: string; redacted?: boolean }): number {
		const block: ThinkingContent = { type: "thinking", thinking: "", ...signature };
		const index = this.#place({
			kind: "thinking",
			index: this.message.content.length,
			block,
			text: new GrowingText(),
		});
		this.stream.push({ type: "thinking_start", contentIndex: index, partial: this.message });
		return index;
	}

	openToolCall(id: string, name: string): number {
		// A few servers send no id; it is only needed to match the result with its call.
		const block: ToolCall = { type: "toolCall", id: id || `call_${shortId()}`, name, arguments: {} };
		const json = new IncrementalJson();
		const index = this.#place({ kind: "toolCall", index: this.message.content.length, block, json });
		this.stream.push({ type: "toolcall_start", contentIndex: index, partial: this.message });
		return index;
	}

	/** Deltas that come one after the other become one: a chunk of the network may hold hundreds. */
	batch<T>(work: () => T): T {
		this.#isBatch = true;
		try {
			return work();
		} finally {
			this.#isBatch = false;
			this.#flush();
		}
	}

	append(index: number, delta: string): void {
		const open = this.#open.get(index);
		if (!open || delta === "" || !this.#fits(delta.length)) return;
		this.#progress++;
		if (this.#pending?.open === open) {
			this.#pending.delta += delta;
			return;
		}
		this.#flush();
		this.#pending = { open, delta };
		if (!this.#isBatch) this.#flush();
	}

	#flush(): void {
		if (!this.#pending) return;
		const { open, delta } = this.#pending;
		this.#pending = undefined;
		const { index } = open;
		const partial = this.message;
		switch (open.kind) {
			case "text":
				open.text.add(delta);
				open.block.text = open.text.value;
				this.stream.push({ type: "text_delta", contentIndex: index, delta, partial });
				return;
			case "thinking":
				open.text.add(delta);
				open.block.thinking = open.text.value;
				this.stream.push({ type: "thinking_delta", contentIndex: index, delta, partial });
				return;
			case "toolCall":
				open.json.push(delta);
				open.block.arguments = asArguments(open.json.value);
				this.stream.push({ type: "toolcall_delta", contentIndex: index, delta, partial });
				return;
		}
	}

	/** Adds to the signature that the provider expects back with this thinking block. */
	sign(index: number, signature: string): void {
		this.#flush();
		const open = this.#open.get(index);
		if (open?.kind === "thinking" && this.#fits(signature.length)) {
			this.#progress++;
			open.block.thinkingSignature = (open.block.thinkingSignature ?? "") + signature;
		}
	}

	close(index: number): void {
		this.#flush();
		const open = this.#open.get(index);
		if (!open) return;
		this.#open.delete(index);
		this.#progress++;
		const partial = this.message;
		switch (open.kind) {
			case "text":
				this.stream.push({ type: "text_end", contentIndex: index, content: open.block.text, partial });
				return;
			case "thinking":
				this.stream.push({
					type: "thinking_end",
					contentIndex: index,
					content: open.block.thinking,
					partial,
				});
				return;
			case "toolCall":
				settleArguments(open.block, open.json);
				this.stream.push({ type: "toolcall_end", contentIndex: index, toolCall: open.block, partial });
				return;
		}
	}

	setUsage(usage: Partial<Omit<Usage, "cost">>): void {
		Object.assign(this.message.usage, usage);
		addCost(this.message.usage, this.#model.cost);
	}

	done(reason: Extract<StopReason, "stop" | "length" | "toolUse">): void {
		if (this.#ended) return;
		this.#finishBlocks();
		this.message.stopReason = reason;
		this.stream.push({ type: "done", reason, message: this.message });
		this.stream.end(this.message);
	}

	/** Ends the stream with a failure; the partial content stays in the message. */
	fail(why: Failure, reason: Extract<StopReason, "error" | "aborted"> = "error"): void {
		if (this.#ended) return;
		this.#finishBlocks();
		this.message.stopReason = reason;
		this.message.failure = why;
		this.message.errorMessage = why.message;
		this.stream.push({ type: "error", reason, error: this.message });
		this.stream.end(this.message);
	}

	abort(): void {
		this.fail(failure("unknown", "Request was aborted"), "aborted");
	}

	#place(open: OpenBlock): number {
		this.#flush();
		this.start();
		this.#progress++;
		this.message.content.push(open.block);
		this.#open.set(open.index, open);
		return open.index;
	}

	/** An answer without an end would fill the memory: past the bound it fails, with the partial content. */
	#fits(chars: number): boolean {
		this.#chars += chars;
		if (this.#chars <= limits.answerChars) return true;
		this.fail(failure("unknown", `The answer is longer than ${limits.answerChars} characters`));
		return false;
	}

	#finishBlocks(): void {
		this.start();
		for (const index of this.#open.keys()) this.close(index);
		this.#ended = true;
	}
}

function settleArguments(block: ToolCall, json: IncrementalJson): void {
	const { value, malformed } = json.end();
	block.arguments = asArguments(value);
	const reason = malformed ?? (isObject(value) ? undefined : "the arguments are not a JSON object");
	if (reason !== undefined) block.malformed = reason;
}

function asArguments(value: unknown): Record<string, unknown> {
	return isObject(value) ? value : {};
}

/** A slow reader gets one long delta instead of many short ones. */
function mergeDeltas(
	previous: AssistantMessageEvent,
	next: AssistantMessageEvent,
): AssistantMessageEvent | undefined {
	if (!("delta" in previous) || !("delta" in next)) return undefined;
	if (previous.type !== next.type || previous.contentIndex !== next.contentIndex) return undefined;
	// The event is unread, so it can be extended in place: a copy for each delta was a third of the cost of a long
	// answer.
	previous.delta += next.delta;
	return previous;
}
