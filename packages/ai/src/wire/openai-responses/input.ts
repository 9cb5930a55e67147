/** Encodes a conversation as the input items of a Responses request. */
import type { Json } from "../../json.ts";
import type {
	AssistantMessage,
	ImageContent,
	Message,
	Model,
	TextContent,
	ToolCall,
	ToolResultMessage,
} from "../../types.ts";
import { conversationFor, isAnswerOf } from "../conversation.ts";
import { addressOf, documentName, isDocument } from "../media.ts";
import { resultText } from "../results.ts";
import { limits } from "./limits.ts";
import { readReasoning, readTextSignature, splitCallId } from "./signatures.ts";

/** Its first part is the id by which the server knows the call. */
const callIdPattern = new RegExp(`^[^|]{1,${limits.idChars}}(?:\\||$)`);

/** A message and its items on the wire. */
export interface Turn {
	message: Message;
	items: Json[];
}

export function encodeTurns(model: Model, messages: readonly Message[]): Turn[] {
	const calls = new CallIds();
	const seen = new Set<unknown>();
	return conversationFor(model, messages, callIdPattern).map((message) => ({
		message,
		items: encodeMessage(model, message, calls).map((item) => namedOnce(item, seen)),
	}));
}

/** A repeated id, as in a conversation that was copied into itself, is refused. */
function namedOnce(item: Json, seen: Set<unknown>): Json {
	const { id, ...unnamed } = item;
	if (id === undefined || !seen.has(id)) {
		seen.add(id);
		return item;
	}
	return unnamed;
}

export function itemsOf(turns: readonly Turn[]): Json[] {
	return turns.flatMap(({ items }) => items);
}

/** True if this very model gave the complete answer: only then its items may be named again. */
export function isOwn(model: Model, answer: AssistantMessage): boolean {
	return isAnswerOf(model, answer) && answer.stopReason !== "error" && answer.stopReason !== "aborted";
}

function encodeMessage(model: Model, message: Message, calls: CallIds): Json[] {
	switch (message.role) {
		case "user": {
			const { content } = message;
			const parts = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
			const known = message.items?.provider === model.provider ? message.items.items : [];
			return [...known, { type: "message", role: "user", content: encodeParts(parts) }];
		}
		case "assistant":
			return encodeAnswer(message, isOwn(model, message), calls);
		case "toolResult":
			return [encodeResult(message, calls)];
	}
}

function encodeAnswer(message: AssistantMessage, own: boolean, calls: CallIds): Json[] {
	// The server refuses a known item when the reasoning before it is missing: then no ids are sent.
	let named = own;
	const items: Json[] = [];
	for (const block of message.content) {
		switch (block.type) {
			case "text":
				items.push(encodeText(block, named));
				break;
			case "thinking": {
				const reasoning = readReasoning(block.thinkingSignature);
				if (reasoning) items.push(reasoning);
				else named = false;
				break;
			}
			case "toolCall":
				items.push(encodeCall(block, named, calls));
				break;
		}
	}
	// Reasoning without content after it is refused.
	return items.slice(0, items.findLastIndex(({ type }) => type !== "reasoning") + 1);
}

function encodeText({ text, textSignature }: TextContent, named: boolean): Json {
	const { id, phase } = readTextSignature(named ? textSignature : undefined);
	const known = id ? { id, status: "completed" } : {};
	const content = [{ type: "output_text", text, ...(id ? { annotations: [] } : {}) }];
	return { type: "message", role: "assistant", ...known, content, ...(phase ? { phase } : {}) };
}

function encodeCall({ id, name, arguments: args }: ToolCall, named: boolean, calls: CallIds): Json {
	const { itemId } = splitCallId(id);
	return {
		type: "function_call",
		...(named && itemId ? { id: itemId } : {}),
		call_id: calls.of(id),
		name,
		arguments: JSON.stringify(args),
	};
}

function encodeResult(message: ToolResultMessage, calls: CallIds): Json {
	const hasImages = message.content.some((part) => part.type === "image");
	const output = hasImages ? encodeParts(message.content) : resultText(message);
	return { type: "function_call_output", call_id: calls.of(message.toolCallId), output };
}

function encodeParts(parts: readonly (TextContent | ImageContent)[]): Json[] {
	return parts.map((part): Json => {
		if (part.type === "text") return { type: "input_text", text: part.text };
		const address = addressOf(part);
		const url = address ?? `data:${part.mimeType};base64,${part.data}`;
		if (isDocument(part) && address !== undefined) return { type: "input_file", file_url: url };
		if (isDocument(part)) return { type: "input_file", filename: documentName, file_data: url };
		return { type: "input_image", detail: part.detail ?? "auto", image_url: url };
	});
}

/** Ids of a conversation are unique; two of them may still name the same call to the server. */
class CallIds {
	readonly #assigned = new Map<string, string>();
	readonly #taken = new Set<string>();

	of(id: string): string {
		const known = this.#assigned.get(id);
		if (known !== undefined) return known;
		const { callId } = splitCallId(id);
		const free = this.#taken.has(callId) ? `${callId}_${this.#taken.size}` : callId;
		this.#assigned.set(id, free);
		this.#taken.add(free);
		return free;
	}
}
