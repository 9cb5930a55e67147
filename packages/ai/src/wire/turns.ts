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

/** Called for the whole conversation before each request: nothing is allocated for a message that was sent before. */
export function encodeAlternating(
	model: Model,
	messages: readonly Message[],
	encodeContent: (model: Model, message: Message) => Json[],
): WireMessage[] {
	const turns: WireMessage[] = [];
	let role: WireMessage["role"] = "user";
	let first: Json[] | undefined;
	/** Results of parallel calls belong into one user message, and so does a prompt that follows them. */
	let others: Json[][] = nothing;
	const close = (): void => {
		if (first) turns.push(joined(role, first, others));
		others = nothing;
	};
	for (const message of conversationFor(model, messages, callIdPattern)) {
		const content = encodeContent(model, message);
		if (content.length === 0) continue;
		const speaker = message.role === "assistant" ? "assistant" : "user";
		if (first && speaker === role) {
			others = [...others, content];
			continue;
		}
		close();
		role = speaker;
		first = content;
	}
	close();
	return turns;
}

const nothing: Json[][] = [];

/** By the first part of a message: with the same other parts it is the same message again. */
const known = new WeakMap<Json[], { others: readonly Json[][]; message: WireMessage }>();

function joined(role: WireMessage["role"], first: Json[], others: readonly Json[][]): WireMessage {
	const before = known.get(first);
	const isSame =
		before?.others.length === others.length && others.every((part, at) => part === before.others[at]);
	if (before && isSame) return before.message;
	const message = written({ role, content: [first, ...others].flat() });
	known.set(first, { others, message });
	return message;
}
