/** `session://<id>`: a message of this conversation as it was, also one that left the context. */
import type { AgentMessage } from "@tau/agent";
import { oneLine } from "@tau/utils";
import { messageOf, userTextOf, type SessionManager } from "@tau/session/log";

import { limits } from "./limits.ts";
import type { UrlHandler } from "./router.ts";

type Log = Pick<SessionManager, "getEntry" | "getBranchHeads">;

/** The address of the list of the user's messages. */
const listing = "messages";

export function sessionUrls(log: Log): UrlHandler {
	return {
		form: "<id>",
		about: `a message of this conversation; session://${listing} lists those of the user`,
		resolve(rest) {
			const id = rest.replace(/\/$/, "");
			if (id === listing || id === "") return { ok: true, text: userMessages(log) };
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
