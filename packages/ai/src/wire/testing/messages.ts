/** Short notations for conversations in tests. */
import type {
	AssistantContent,
	AssistantMessage,
	ImageContent,
	TextContent,
	ThinkingContent,
	ToolCall,
	ToolResultMessage,
	UserMessage,
} from "../../types.ts";
import { noUsage } from "../../usage.ts";

export const image: ImageContent = { type: "image", data: "iVBO", mimeType: "image/png" };
export const audio: ImageContent = { type: "image", data: "UklG", mimeType: "audio/wav" };

export function text(message: string): TextContent {
	return { type: "text", text: message };
}

export function thinking(thought: string, thinkingSignature?: string): ThinkingContent {
	return { type: "thinking", thinking: thought, ...(thinkingSignature ? { thinkingSignature } : {}) };
}

export function call(id: string, name = "tool", args: Record<string, unknown> = {}): ToolCall {
	return { type: "toolCall", id, name, arguments: args };
}

export function user(...content: [string] | (TextContent | ImageContent)[]): UserMessage {
	const [first] = content;
	const said = typeof first === "string" ? first : (content as (TextContent | ImageContent)[]);
	return { role: "user", content: said, timestamp: 0 };
}

/** An answer of the model that `modelAt` makes. */
export function answer(...content: AssistantContent[]): AssistantMessage {
	const stopReason = content.some((block) => block.type === "toolCall") ? "toolUse" : "stop";
	return {
		role: "assistant",
		content,
		api: "any",
		provider: "played",
		model: "played-1",
		usage: noUsage(),
		stopReason,
		timestamp: 0,
	};
}

export function result(toolCallId: string, ...content: ToolResultMessage["content"]): ToolResultMessage {
	return { role: "toolResult", toolCallId, toolName: "tool", content, isError: false, timestamp: 0 };
}
