/** `session://<id>`: a message of this conversation as it was, also one that left the context or was before a handoff. */
import type { AgentMessage } from "@tau/agent";
import { oneLine } from "@tau/utils";
import { earlierSessions, messageOf, userTextOf, type SessionManager } from "@tau/log";

import { limits } from "./limits.ts";
import type { UrlHandler } from "./router.ts";

type Log = Pick<SessionManager, "getEntry" | "getBranchHeads" | "getHeader">;

/** The address of the list of the user's messages. */
const listing = "messages";
const results = "results";
const searching = "find/";

export function sessionUrls(log: Log): UrlHandler {
	return {
		form: "<id>",
		about: `a message of this conversation; session://${listing} lists those of the user, session://${results} those of tools, session://${searching}<text> those with a text`,
		resolve(rest) {
			using conversation = wholeConversation(log);
			const { logs } = conversation;
			const id = rest.replace(/\/$/, "");
			if (id === listing || id === "") return { ok: true, text: userMessages(logs) };
			if (id === results) return { ok: true, text: toolResults(logs) };
			if (id.startsWith(searching)) return { ok: true, text: search(logs, rest.slice(searching.length)) };
			for (const one of logs.toReversed()) {
				const entry = one.getEntry(id);
				const [message] = entry ? messageOf(entry) : [];
				if (message) return { ok: true, text: `${textOf(message)}\n` };
			}
			const shown = oneLine(id, limits.shownChars);
			return {
				ok: false,
				reason: `This conversation has no message ${shown}. Read session://${listing} for a list of the user's.`,
			};
		},
	};
}

/** The sessions that handed over to each other, the oldest first and this one last. */
function wholeConversation(log: Log): Disposable & { logs: readonly Log[] } {
	using opened = new DisposableStack();
	const earlier = Array.from(earlierSessions(log), (session) => opened.use(session));
	const owned = opened.move();
	return { logs: [...earlier.toReversed(), log], [Symbol.dispose]: () => owned.dispose() };
}

function userMessages(logs: readonly Log[]): string {
	const lines = [...messagesOf(logs)].flatMap(({ id, message }) =>
		message.role === "user" ? [`session://${id}  ${oneLine(userTextOf(message), limits.shownChars)}`] : [],
	);
	return lines.length === 0 ? "The user has not written anything yet.\n" : `${lines.join("\n")}\n`;
}

function toolResults(logs: readonly Log[]): string {
	const calls = new Map<string, string>();
	const lines: string[] = [];
	for (const { id, message } of messagesOf(logs)) {
		if (message.role === "assistant")
			for (const part of message.content)
				if (part.type === "toolCall") calls.set(part.id, JSON.stringify(part.arguments));
		if (message.role !== "toolResult") continue;
		const call = oneLine(`${message.toolName} ${calls.get(message.toolCallId) ?? ""}`, limits.shownChars);
		lines.push(`session://${id}  ${call} ⇒ ${oneLine(textOf(message), limits.shownChars)}`);
	}
	return lines.length === 0 ? "No tool has been used yet.\n" : `${lines.join("\n")}\n`;
}

/** The newest messages with the text, whatever its case, and the words around it. */
function search(logs: readonly Log[], address: string): string {
	const wanted = decoded(address).toLowerCase();
	const searches = new Set<string>();
	const lines: string[] = [];
	for (const { id, message } of messagesOf(logs)) {
		for (const call of searchesIn(message)) searches.add(call);
		if (message.role === "toolResult" && searches.has(message.toolCallId)) continue;
		const text = textOf(message, searches);
		const at = wanted === "" ? -1 : text.toLowerCase().indexOf(wanted);
		if (at === -1) continue;
		const around = text.slice(
			Math.max(0, at - limits.shownChars / 2),
			at + wanted.length + limits.shownChars / 2,
		);
		const who = message.role === "toolResult" ? message.toolName : message.role;
		lines.push(`session://${id}  ${who}: ${oneLine(around, 2 * limits.shownChars + wanted.length)}`);
	}
	if (lines.length === 0) return "No message of this conversation contains that text.\n";
	const left = lines.length - limits.searchHits;
	const older = left > 0 ? `(${left} older ones)\n` : "";
	return `${older}${lines.slice(-limits.searchHits).join("\n")}\n`;
}

/** The calls that search the conversation: the words that they look for are not what was said about them. */
function searchesIn(message: AgentMessage): string[] {
	if (message.role !== "assistant") return [];
	return message.content.flatMap((part) =>
		part.type === "toolCall" && JSON.stringify(part.arguments).includes(`session://${searching}`)
			? [part.id]
			: [],
	);
}

function decoded(address: string): string {
	try {
		return decodeURIComponent(address);
	} catch {
		// A text with a per cent sign is taken as it is.
		return address;
	}
}

function* messagesOf(logs: readonly Log[]): Generator<{ id: string; message: AgentMessage }> {
	for (const log of logs)
		for (const { id, type } of log.getBranchHeads()) {
			const entry = type === "message" ? log.getEntry(id) : undefined;
			const [message] = entry ? messageOf(entry) : [];
			if (message) yield { id, message };
		}
}

function textOf(message: AgentMessage, without: ReadonlySet<string> = new Set()): string {
	if (!("content" in message)) return "summary" in message ? message.summary : message.output;
	if (typeof message.content === "string") return message.content;
	return message.content
		.map((part) => {
			if (part.type === "text") return part.text;
			if (part.type === "thinking") return part.thinking;
			if (part.type !== "toolCall") return "[image]";
			return without.has(part.id) ? "" : `${part.name}(${JSON.stringify(part.arguments)})`;
		})
		.join("\n");
}
