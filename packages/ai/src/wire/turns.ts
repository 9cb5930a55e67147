/** Encodes a conversation as alternating turns of user and assistant, for protocols that require them. */
import { written, type Json } from "../json.ts";
import type { Message, Model } from "../types.ts";
import { conversationFor } from "./conversation.ts";

/** Not to be changed: it may be part of the next request, too. */
export interface WireMessage {
	readonly role: "user" | "assistant";
	readonly content: readonly Json[];
}

/** Replaces the last messages of the user, which a cache mark belongs to, by what `mark` makes of their content. */
export function markLast(
	messages: WireMessage[],
	count: number,
	mark: (content: readonly Json[]) => readonly Json[],
): void {
	let left = count;
	for (let at = messages.length - 1; at >= 0 && left > 0; at--) {
		const message = messages[at];
		if (message?.role !== "user") continue;
		messages[at] = { ...message, content: mark(message.content) };
		left--;
	}
}

const callIdPattern = /^[\w-]{1,64}$/;

export function encodeAlternating(
	model: Model,
	messages: readonly Message[],
	encodeContent: (model: Model, message: Message) => Json[],
): WireMessage[] {
	const turns: { role: WireMessage["role"]; parts: Json[][] }[] = [];
	for (const message of conversationFor(model, messages, callIdPattern)) {
		const role = message.role === "assistant" ? "assistant" : "user";
		const content = encodeContent(model, message);
		if (content.length === 0) continue;
		const last = turns.at(-1);
		// Results of parallel calls belong into one user message, and so does a prompt that follows them.
		if (last?.role === role) last.parts.push(content);
		else turns.push({ role, parts: [content] });
	}
	return turns.map(({ role, parts }) => joined(role, parts));
}

/** By the first part of a message: the same parts are the same message again. */
const known = new WeakMap<Json[], { parts: readonly Json[][]; message: WireMessage }>();

function joined(role: WireMessage["role"], parts: readonly Json[][]): WireMessage {
	const [first] = parts;
	const before = first && known.get(first);
	const isSame =
		before?.parts.length === parts.length && before.parts.every((part, at) => part === parts[at]);
	if (before && isSame) return before.message;
	const message = written({ role, content: parts.flat() });
	if (first) known.set(first, { parts, message });
	return message;
}
