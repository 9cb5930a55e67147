/** Encodes a conversation as alternating turns of user and assistant, for protocols that require them. */
import { written, type Json } from "../json.ts";
import type { Message, Model } from "../types.ts";
import { conversationParts } from "./conversation.ts";

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

/** What of a conversation was encoded: whole turns, and the parts of the last one, which may get more. */
interface Encoded {
	/** Messages so far. */
	count: number;
	readonly turns: WireMessage[];
	open: { role: WireMessage["role"]; first: Json[]; others: Json[][] } | undefined;
}

type EncodeContent = (model: Model, message: Message) => Json[];

/** By the settled part of a conversation, which grows at its end: each message of it is encoded once. */
const encodedParts = new WeakMap<EncodeContent, WeakMap<readonly Message[], Encoded>>();

/** `encodeContent` is the same function for each request in which it encodes a message in the same way. */
export function encodeAlternating(
	model: Model,
	messages: readonly Message[],
	encodeContent: EncodeContent,
): WireMessage[] {
	const { settled, rest } = conversationParts(model, messages, callIdPattern);
	const known = encodedParts
		.getOrInsertComputed(encodeContent, () => new WeakMap())
		.getOrInsertComputed(settled, () => ({ count: 0, turns: [], open: undefined }));
	for (; known.count < settled.length; known.count++) add(known, model, settled[known.count], encodeContent);
	const all: Encoded = { ...known, turns: known.turns.slice() };
	for (const message of rest) add(all, model, message, encodeContent);
	close(all);
	return all.turns;
}

/** Results of parallel calls belong into one user message, and so does a prompt that follows them. */
function add(
	encoded: Encoded,
	model: Model,
	message: Message | undefined,
	encodeContent: EncodeContent,
): void {
	const content = message ? encodeContent(model, message) : [];
	if (content.length === 0) return;
	const role = message?.role === "assistant" ? "assistant" : "user";
	const { open } = encoded;
	if (open?.role === role) {
		encoded.open = { ...open, others: [...open.others, content] };
		return;
	}
	close(encoded);
	encoded.open = { role, first: content, others: [] };
}

function close({ turns, open }: Encoded): void {
	if (open) turns.push(joined(open.role, open.first, open.others));
}

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
