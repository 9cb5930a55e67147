/** A streaming answer of the model: its text, its thinking and its calls, each in its own block. */
import { IncrementalJson } from "@tau/ai";
import type { TranscriptBlock } from "@tau/tui";
import type { EventFrameOf, LiveState, WireAnswer } from "@tau/wire";

import { AnswerTextView } from "./answer-text.ts";
import type { ViewContext } from "./view-context.ts";
import { ThinkingView } from "./thinking.ts";
import { ToolCallView } from "./tool-call.ts";

export interface AnswerSink {
	add(block: TranscriptBlock): void;
	/** The view of a call, which its execution finds again by its id. */
	call(id: string, name: string, args: Record<string, unknown>): ToolCallView;
}

export type AnswerUpdate = EventFrameOf<"message_update">["assistantMessageEvent"];
type Part = AnswerTextView | ThinkingView | ToolCallView;
type Block = WireAnswer["content"][number];
/** What there is of the answer that is being made. */
export type AnswerSoFar = Pick<LiveState, "answer" | "openArguments">;

export class AnswerView {
	readonly #view: ViewContext;
	readonly #sink: AnswerSink;
	readonly #parts: (Part | undefined)[] = [];
	/** The arguments that come in pieces, by their position. */
	readonly #json = new Map<number, IncrementalJson>();

	constructor(view: ViewContext, sink: AnswerSink) {
		this.#view = view;
		this.#sink = sink;
	}

	/** Shows what there was before this view. */
	join({ answer, openArguments }: AnswerSoFar): void {
		const content = answer?.content ?? [];
		for (const [index, block] of content.entries()) {
			const part = this.#part(index, block);
			if (block.type !== "toolCall") {
				const text = block.type === "text" ? block.text : block.thinking;
				if (!(part instanceof AnswerTextView || part instanceof ThinkingView)) continue;
				// What something else follows is complete.
				if (index < content.length - 1) part.finish(text);
				else part.append(text);
			} else if (part instanceof ToolCallView) {
				const written = openArguments[index];
				if (written === undefined) part.setArguments(block.arguments, true);
				else part.setArguments(this.#read(index, written), false);
			}
		}
	}

	/** `soFar` includes the update already. */
	update(event: AnswerUpdate, soFar: AnswerSoFar): void {
		const block = soFar.answer?.content[event.contentIndex];
		const part = this.#part(event.contentIndex, block);
		switch (event.type) {
			case "text_delta":
			case "thinking_delta":
				if (part instanceof AnswerTextView || part instanceof ThinkingView) part.append(event.delta);
				return;
			case "text_end":
			case "thinking_end":
				if (part instanceof AnswerTextView || part instanceof ThinkingView) part.finish(event.content);
				return;
			case "toolcall_delta":
				if (part instanceof ToolCallView && block?.type === "toolCall")
					part.setArguments(this.#argumentsOf(event, block, soFar), false);
				return;
			case "toolcall_end":
				this.#json.delete(event.contentIndex);
				if (part instanceof ToolCallView) part.setArguments(event.toolCall.arguments, true);
		}
	}

	/** The whole; calls of an answer that failed are never run. */
	finish(message: WireAnswer): void {
		const isBroken = message.stopReason === "error" || message.stopReason === "aborted";
		for (const [index, block] of message.content.entries()) {
			const part = this.#part(index, block);
			if (block.type === "toolCall" && part instanceof ToolCallView) {
				if (isBroken) part.drop();
				else part.setArguments(block.arguments, true);
			} else if (block.type === "text" && part instanceof AnswerTextView) part.finish(block.text);
			else if (block.type === "thinking" && part instanceof ThinkingView) part.finish(block.thinking);
		}
	}

	/** A session in this process has parsed them; from elsewhere they come as text. */
	#argumentsOf(
		{ contentIndex, delta }: Extract<AnswerUpdate, { type: "toolcall_delta" }>,
		block: Extract<Block, { type: "toolCall" }>,
		{ openArguments }: AnswerSoFar,
	): Record<string, unknown> {
		const written = openArguments[contentIndex];
		if (written === undefined) return block.arguments;
		return this.#read(contentIndex, this.#json.has(contentIndex) ? delta : written);
	}

	#read(index: number, text: string): Record<string, unknown> {
		const json = this.#json.get(index) ?? new IncrementalJson();
		this.#json.set(index, json);
		json.push(text);
		const { value } = json;
		return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
	}

	/** Created empty: existing content arrives with the events. */
	#part(index: number, block: Block | undefined): Part | undefined {
		const known = this.#parts[index];
		if (known !== undefined || block === undefined) return known;
		const made = this.#make(block, index);
		this.#parts[index] = made;
		return made;
	}

	#make(block: Block, contentIndex: number): Part {
		// Tool calls are added by the code that also runs them.
		if (block.type === "toolCall") return this.#sink.call(block.id, block.name, block.arguments);
		const thinkingIndex = this.#parts.filter((part) => part instanceof ThinkingView).length;
		const made =
			block.type === "text"
				? new AnswerTextView(this.#view, "", false)
				: new ThinkingView(this.#view, "", false, { contentIndex, thinkingIndex });
		this.#sink.add(made);
		return made;
	}
}
