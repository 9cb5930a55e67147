/** A streaming answer of the model: its text, its thinking and its calls, each in its own block. */
import type { AssistantMessage, AssistantMessageEvent } from "@tau/ai";
import type { TranscriptBlock } from "@tau/tui";

import { AnswerTextView } from "./answer-text.ts";
import type { ViewContext } from "./view-context.ts";
import { ThinkingView } from "./thinking.ts";
import { ToolCallView } from "./tool-call.ts";

export interface AnswerSink {
	add(block: TranscriptBlock): void;
	/** The view of a call, which its execution finds again by its id. */
	call(id: string, name: string, args: Record<string, unknown>): ToolCallView;
}

type Part = AnswerTextView | ThinkingView | ToolCallView;

export class AnswerView {
	readonly #view: ViewContext;
	readonly #sink: AnswerSink;
	readonly #parts: (Part | undefined)[] = [];

	constructor(view: ViewContext, sink: AnswerSink) {
		this.#view = view;
		this.#sink = sink;
	}

	update(event: AssistantMessageEvent): void {
		if (!("contentIndex" in event)) return;
		const part = this.#part(event.contentIndex, event.partial);
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
			case "toolcall_end": {
				const block = event.partial.content[event.contentIndex];
				if (part instanceof ToolCallView && block?.type === "toolCall")
					part.setArguments(block.arguments, event.type === "toolcall_end");
			}
		}
	}

	/** The whole; calls of an answer that failed are never run. */
	finish(message: AssistantMessage): void {
		const isBroken = message.stopReason === "error" || message.stopReason === "aborted";
		for (const [index, block] of message.content.entries()) {
			const part = this.#part(index, message);
			if (block.type === "toolCall" && part instanceof ToolCallView) {
				if (isBroken) part.drop();
				else part.setArguments(block.arguments, true);
			} else if (block.type === "text" && part instanceof AnswerTextView) part.finish(block.text);
			else if (block.type === "thinking" && part instanceof ThinkingView) part.finish(block.thinking);
		}
	}

	/** Created empty: existing content arrives with the events. */
	#part(index: number, { content }: AssistantMessage): Part | undefined {
		const known = this.#parts[index];
		const block = content[index];
		if (known !== undefined || block === undefined) return known;
		const made = this.#make(block, index);
		this.#parts[index] = made;
		return made;
	}

	#make(block: AssistantMessage["content"][number], contentIndex: number): Part {
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
