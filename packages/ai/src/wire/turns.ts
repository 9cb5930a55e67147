/** Encodes a conversation as alternating turns of user and assistant, for protocols that require them. */
import type { Json } from "../json.ts";
import type { Message, Model } from "../types.ts";
import { conversationFor } from "./conversation.ts";

export interface WireMessage {
	role: "user" | "assistant";
	content: Json[];
}

const callIdPattern = /^[\w-]{1,64}$/;

export function encodeAlternating(
	model: Model,
	messages: readonly Message[],
	encodeContent: (model: Model, message: Message) => Json[],
): WireMessage[] {
	const out: WireMessage[] = [];
	for (const message of conversationFor(model, messages, callIdPattern)) {
		const role = message.role === "assistant" ? "assistant" : "user";
		const content = encodeContent(model, message);
		if (content.length === 0) continue;
		const last = out.at(-1);
		// Results of parallel calls belong into one user message, and so does a prompt that follows them.
		if (last?.role === role) last.content.push(...content);
		else out.push({ role, content });
	}
	return out;
}
