/** Encodes a conversation as the messages of an Anthropic request. */
import type { Json } from "../../json.ts";
import type {
	AssistantMessage,
	ImageContent,
	Message,
	Model,
	TextContent,
	ThinkingContent,
	ToolResultMessage,
} from "../../types.ts";
import { addressOf, isDocument } from "../media.ts";
import { encodeMessageOnce } from "../encode-once.ts";
import { referencesIn } from "../tool-references.ts";
import { encodeAlternating, type WireMessage } from "../turns.ts";

export function encodeMessages(
	model: Model,
	messages: readonly Message[],
	referenced: ReadonlySet<string>,
): WireMessage[] {
	if (referenced.size === 0) return encodeAlternating(model, messages, encodePlain);
	return encodeAlternating(model, messages, (_, message) =>
		// Whether a result declares tools depends on the tools of the request.
		message.role === "toolResult" && message.foundTools
			? encodeContent(model, message, referenced)
			: encodePlain(model, message),
	);
}

const encodePlain = encodeMessageOnce((model, message) => encodeContent(model, message, new Set()));

function encodeContent(model: Model, message: Message, referenced: ReadonlySet<string>): Json[] {
	switch (message.role) {
		case "user":
			return encodeParts(
				typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content,
			);
		case "toolResult":
			return [encodeResult(message, referenced)];
		case "assistant":
			return encodeAnswer(model, message);
	}
}

function encodeResult(message: ToolResultMessage, referenced: ReadonlySet<string>): Json {
	const references = referencesIn(message, referenced).map((name): Json => ({
		type: "tool_reference",
		tool_name: name,
	}));
	return {
		type: "tool_result",
		tool_use_id: message.toolCallId,
		content: references.length > 0 ? references : encodeParts(message.content),
		...(message.isError ? { is_error: true } : {}),
	};
}

function encodeAnswer(model: Model, message: AssistantMessage): Json[] {
	return message.content.flatMap((block): Json[] => {
		switch (block.type) {
			case "text":
				return [{ type: "text", text: block.text }];
			case "thinking":
				return encodeThinking(model, block);
			case "toolCall":
				return [{ type: "tool_use", id: block.id, name: block.name, input: block.arguments }];
		}
	});
}

/**
 * The API accepts thinking back unchanged with its signature, or not at all; servers that sign nothing accept it
 * without.
 */
function encodeThinking(model: Model, { thinking, thinkingSignature, redacted }: ThinkingContent): Json[] {
	if (thinkingSignature) {
		return redacted
			? [{ type: "redacted_thinking", data: thinkingSignature }]
			: [{ type: "thinking", thinking, signature: thinkingSignature }];
	}
	const unsigned = model.compat?.allowEmptySignature && thinking.trim() !== "";
	return unsigned ? [{ type: "thinking", thinking, signature: "" }] : [];
}

function encodeParts(parts: readonly (TextContent | ImageContent)[]): Json[] {
	return parts.map((part): Json => {
		if (part.type === "text") return { type: "text", text: part.text };
		const url = addressOf(part);
		const source =
			url === undefined
				? { type: "base64", media_type: part.mimeType, data: part.data }
				: { type: "url", url };
		return { type: isDocument(part) ? "document" : "image", source };
	});
}
