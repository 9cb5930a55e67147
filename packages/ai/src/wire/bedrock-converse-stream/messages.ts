/** Encodes a conversation as the messages of a ConverseStream request. */
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
import { encodeMessageOnce } from "../encode-once.ts";
import { notes } from "../notes/index.ts";
import { encodeAlternating, type WireMessage } from "../turns.ts";

export function encodeMessages(model: Model, messages: readonly Message[]): WireMessage[] {
	return encodeAlternating(model, messages, encodeOnce);
}

const encodeOnce = encodeMessageOnce(encodeContent);

function encodeContent(model: Model, message: Message): Json[] {
	switch (message.role) {
		case "user":
			return typeof message.content === "string"
				? [{ text: message.content }]
				: message.content.map(encodePart);
		case "toolResult":
			return [encodeResult(message)];
		case "assistant":
			return encodeAnswer(model, message);
	}
}

/** Many models behind the API do not know the status, so only a failure is sent. */
function encodeResult({ toolCallId, content, isError }: ToolResultMessage): Json {
	const parts = content.length === 0 ? [{ text: notes.noOutput }] : content.map(encodePart);
	return {
		toolResult: { toolUseId: toolCallId, content: parts, ...(isError ? { status: "error" } : {}) },
	};
}

function encodeAnswer(model: Model, message: AssistantMessage): Json[] {
	return message.content.flatMap((block): Json[] => {
		switch (block.type) {
			case "text":
				return [{ text: block.text }];
			case "thinking":
				return encodeThinking(model, block);
			case "toolCall":
				return [{ toolUse: { toolUseId: block.id, name: block.name, input: block.arguments } }];
		}
	});
}

/** Thinking is sent back unchanged with its signature, or not at all; models that sign nothing accept it without. */
function encodeThinking(model: Model, { thinking, thinkingSignature, redacted }: ThinkingContent): Json[] {
	if (redacted) {
		return thinkingSignature ? [{ reasoningContent: { redactedContent: thinkingSignature } }] : [];
	}
	if (thinkingSignature) {
		return [{ reasoningContent: { reasoningText: { text: thinking, signature: thinkingSignature } } }];
	}
	const unsigned = model.compat?.allowEmptySignature && thinking.trim() !== "";
	return unsigned ? [{ reasoningContent: { reasoningText: { text: thinking } } }] : [];
}

function encodePart(part: TextContent | ImageContent): Json {
	if (part.type === "text") return { text: part.text };
	const format = part.mimeType.replace(/^image\//, "").replace(/^jpg$/, "jpeg");
	return { image: { format, source: { bytes: part.data } } };
}
