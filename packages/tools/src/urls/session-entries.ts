/** `session://<id>`: a message of this conversation as it was, also one that left the context. */
import type { AgentMessage } from "@tau/agent";
import { oneLine } from "@tau/utils";
import { messageOf, userTextOf, type SessionManager } from "@tau/session/log";

import { limits } from "./limits.ts";
import type { UrlHandler } from "./router.ts";

type Log = Pick<SessionManager, "getEntry" | "getBranchHeads">;

/** The address of the list of the user's messages. */
const listing = "messages";
const results = "results";
const searching = "find/";

export function sessionUrls(log: Log): UrlHandler {
	return {
		form: "<id>",
		about: `a message of this conversation; session://${listing} lists those of the user, session://${results} those of tools, session://${searching}<text> those with a text`,
		resolve(rest) {
			const id = rest.replace(/\/$/, "");
			if (id === listing || id === "") return { ok: true, text: userMessages(log) };
			if (id === results) return { ok: true, text: toolResults(log) };
			if (id.startsWith(searching)) return { ok: true, text: search(log, rest.slice(searching.length)) };
			const entry = log.getEntry(id);
			const [message] = entry ? messageOf(entry) : [];
			if (message) return { ok: true, text: `${textOf(message)}\n` };
			const shown = oneLine(id, limits.shownChars);
			return {
				ok: false,
				reason: `This conversation has no message ${shown}. Read session://${listing} for a list of the user's.`,
			};
		},
	};
}

function userMessages(log: Log): string {
	const lines = log.getBranchHeads().flatMap(({ id, type }) => {
		const entry = type === "message" ? log.getEntry(id) : undefined;
		if (entry?.type !== "message" || entry.message.role !== "user") return [];
		return [`session://${id}  ${oneLine(userTextOf(entry.message), limits.shownChars)}`];
	});
	return lines.length === 0 ? "The user has not written anything yet.\n" : `${lines.join("\n")}\n`;
}

function toolResults(log: Log): string {
	const calls = new Map<string, string>();
	const lines: string[] = [];
	for (const { id, message } of messagesOf(log)) {
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
function search(log: Log, address: string): string {
	const wanted = decoded(address).toLowerCase();
	const lines: string[] = [];
	for (const { id, message } of messagesOf(log)) {
		const text = textOf(message);
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

function decoded(address: string): string {
	try {
		return decodeURIComponent(address);
	} catch {
		// A text with a per cent sign is taken as it is.
		return address;
	}
}

function* messagesOf(log: Log): Generator<{ id: string; message: AgentMessage }> {
	for (const { id, type } of log.getBranchHeads()) {
		const entry = type === "message" ? log.getEntry(id) : undefined;
		const [message] = entry ? messageOf(entry) : [];
		if (message) yield { id, message };
	}
}

function textOf(message: AgentMessage): string {
	if (!("content" in message)) return "summary" in message ? message.summary : message.output;
	if (typeof message.content === "string") return message.content;
	return message.content
		.map((part) => {
			if (part.type === "text") return part.text;
			if (part.type === "thinking") return part.thinking;
			return part.type === "toolCall" ? `${part.name}(${JSON.stringify(part.arguments)})` : "[image]";
		})
		.join("\n");
}
