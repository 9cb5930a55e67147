/** Makes a conversation that any model can take from one that was cut short or moved between models. */
import type {
	AssistantContent,
	AssistantMessage,
	ImageContent,
	Message,
	Model,
	TextContent,
	ToolResultMessage,
} from "../types.ts";
import { notes } from "./notes/index.ts";

/**
 * Pairs every tool call with a result, leaves out what the model cannot take (foreign thinking, images without
 * vision, empty blocks) and drops answers of which nothing is left.
 */
export function conversationFor(model: Model, messages: readonly Message[]): Message[] {
	const out: Message[] = [];
	let waiting = new Map<string, string>();
	const settle = (): void => {
		for (const [id, name] of waiting) out.push(missingResult(id, name));
		waiting = new Map();
	};
	for (const message of messages) {
		if (message.role === "toolResult") {
			// A result without its call (its answer was dropped) would be refused by every provider.
			if (!waiting.delete(message.toolCallId)) continue;
			out.push({ ...message, content: forVision(model, message.content) });
			continue;
		}
		settle();
		if (message.role === "user") {
			out.push(
				typeof message.content === "string"
					? message
					: { ...message, content: forVision(model, message.content) },
			);
			continue;
		}
		const content = sayable(model, message);
		if (content.length === 0) continue;
		out.push({ ...message, content });
		for (const block of content) if (block.type === "toolCall") waiting.set(block.id, block.name);
	}
	settle();
	return out;
}

function sayable(model: Model, message: AssistantMessage): AssistantContent[] {
	const own = message.provider === model.provider && message.model === model.id;
	const broken = message.stopReason === "error" || message.stopReason === "aborted";
	return message.content.filter((block) => {
		switch (block.type) {
			case "text":
				return block.text.trim() !== "";
			case "thinking":
				return own && !broken;
			case "toolCall":
				return !broken;
		}
	});
}

function forVision(model: Model, content: (TextContent | ImageContent)[]): (TextContent | ImageContent)[] {
	if (model.input.includes("image")) return content;
	return content.map((block) =>
		block.type === "image" ? { type: "text", text: notes.imageLeftOut } : block,
	);
}

function missingResult(toolCallId: string, toolName: string): ToolResultMessage {
	const content: TextContent[] = [{ type: "text", text: notes.neverRan }];
	return { role: "toolResult", toolCallId, toolName, content, isError: true, timestamp: 0 };
}
