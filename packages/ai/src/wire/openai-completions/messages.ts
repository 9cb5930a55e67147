/** Encodes a conversation as the messages of a Chat Completions request. */
import { written, type Json } from "../../json.ts";
import type {
	AssistantMessage,
	Compat,
	ImageContent,
	Message,
	Model,
	TextContent,
	ThinkingContent,
	ToolCall,
	ToolResultMessage,
} from "../../types.ts";
import { conversationFor } from "../conversation.ts";
import { addressOf, audioFormat, documentName, isAudio, isDocument } from "../media.ts";
import { encodeMessageOnce } from "../encode-once.ts";
import { foreignThinking, notes } from "../notes/index.ts";
import { imagesAfterResults, resultText } from "../results.ts";
import { isThinkingField } from "../thinking-field.ts";
import { detailsFrom } from "./reasoning-details.ts";

export function encodeMessages(model: Model, messages: readonly Message[]): Json[] {
	const { compat = {} } = model;
	const out: Json[] = [];
	const ask = (content: unknown): void => {
		const afterResult = out.at(-1)?.role === "tool";
		if (afterResult && compat.requiresAssistantAfterToolResult)
			out.push({ role: "assistant", content: notes.resultsSeen });
		out.push({ role: "user", content });
	};
	const conversation = imagesAfterResults(conversationFor(model, messages));
	for (const message of compat.requiresMistralToolIds ? withNineCharIds(conversation) : conversation) {
		switch (message.role) {
			case "user":
				ask(
					typeof message.content === "string" ? words(compat, message.content) : encodeParts(message.content),
				);
				break;
			case "assistant":
			case "toolResult":
				out.push(...encodeOnce(model, message));
				break;
		}
	}
	return out;
}

const encodeOnce = encodeMessageOnce(({ compat = {} }, message) => {
	if (message.role === "user") return [];
	const encoded =
		message.role === "assistant" ? encodeAnswer(compat, message) : [encodeResult(compat, message)];
	return encoded.map((each) => written(each));
});

/** If parts are marked for the cache, all text is in parts, so that a mark changes nothing else. */
export function words(compat: Compat, text: string): unknown {
	return compat.cacheControlFormat === "anthropic" ? [{ type: "text", text }] : text;
}

function encodeResult(compat: Compat, message: ToolResultMessage): Json {
	return {
		role: "tool",
		tool_call_id: message.toolCallId,
		...(compat.requiresToolResultName ? { name: message.toolName } : {}),
		content: words(compat, resultText(message)),
	};
}

/** Thinking alone is not content: without a way to send it back, such an answer is omitted. */
function encodeAnswer(compat: Compat, message: AssistantMessage): Json[] {
	const thoughts = message.content.filter((block) => block.type === "thinking");
	const calls = message.content.filter((block) => block.type === "toolCall");
	const text = message.content.flatMap((block) => (block.type === "text" ? [block.text] : []));
	if (compat.requiresThinkingAsText) text.unshift(...thoughts.flatMap(asText));
	if (text.length + calls.length === 0) return [];
	return [
		{
			role: "assistant",
			content: text.length > 0 ? text.join("") : null,
			...(compat.requiresThinkingAsText ? {} : encodeThoughts(compat, thoughts, calls)),
			...(calls.length > 0 ? { tool_calls: calls.map(encodeCall) } : {}),
		},
	];
}

function asText({ thinking, redacted }: ThinkingContent): string[] {
	return redacted || thinking.trim() === "" ? [] : [`${foreignThinking(thinking.trim())}\n`];
}

/** Thinking is sent back as it came: as signed details, or in the field that it was read from. */
function encodeThoughts(
	compat: Compat,
	thoughts: readonly ThinkingContent[],
	calls: readonly ToolCall[],
): Json {
	const signatures = [
		...thoughts.map(({ thinkingSignature }) => thinkingSignature),
		...calls.map(({ thoughtSignature }) => thoughtSignature),
	];
	const details = signatures.flatMap((signature) => detailsFrom(signature) ?? []);
	const signed = details.length > 0 ? { reasoning_details: details } : undefined;
	if (compat.requiresReasoningContentOnAssistantMessages)
		return { reasoning_content: thoughts.map(({ thinking }) => thinking).join(""), ...signed };
	return signed ?? inTheirFields(thoughts);
}

function inTheirFields(thoughts: readonly ThinkingContent[]): Json {
	const fields = new Map<string, string>();
	for (const { thinking, thinkingSignature: field } of thoughts) {
		if (isThinkingField(field)) fields.set(field, (fields.get(field) ?? "") + thinking);
	}
	return Object.fromEntries(fields);
}

function encodeCall(block: ToolCall): Json {
	const call = { name: block.name, arguments: JSON.stringify(block.arguments) };
	return { id: block.id, type: "function", function: call };
}

function encodeParts(parts: readonly (TextContent | ImageContent)[]): Json[] {
	return parts.map((part): Json => {
		if (part.type === "text") return { type: "text", text: part.text };
		if (isAudio(part))
			return { type: "input_audio", input_audio: { data: part.data, format: audioFormat(part) } };
		const url = addressOf(part) ?? `data:${part.mimeType};base64,${part.data}`;
		if (isDocument(part)) return { type: "file", file: { filename: documentName, file_data: url } };
		return { type: "image_url", image_url: { url } };
	});
}

/** The ids of tool calls that Mistral requires: exactly nine letters and digits. */
const nineCharId = /^[a-zA-Z0-9]{9}$/;

/** The mapping is deterministic, so that the beginning of a conversation does not change as it grows. */
function withNineCharIds(messages: readonly Message[]): Message[] {
	return messages.map((message): Message => {
		if (message.role === "toolResult") return { ...message, toolCallId: nineChars(message.toolCallId) };
		if (message.role !== "assistant") return message;
		const content = message.content.map((block) =>
			block.type === "toolCall" ? { ...block, id: nineChars(block.id) } : block,
		);
		return { ...message, content };
	});
}

function nineChars(id: string): string {
	if (nineCharId.test(id)) return id;
	return hashOf(id).toString(36).padStart(9, "0").slice(-9);
}

/** 53 bits of two multiplicative hashes, because pages have no other hash that answers at once. */
function hashOf(text: string): number {
	let [high, low] = [0xdeadbeef, 0x41c6ce57];
	for (let at = 0; at < text.length; at++) {
		const unit = text.charCodeAt(at);
		high = Math.imul(high ^ unit, 2654435761);
		low = Math.imul(low ^ unit, 1597334677);
	}
	high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
	low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
	return 2 ** 32 * (low & 0x1fffff) + (high >>> 0);
}
