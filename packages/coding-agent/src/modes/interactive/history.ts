/** The end of a session's branch that is shown when the session is opened: the rest is never read. */
import type { AgentMessage } from "@tau/agent";
import type { SessionEntry, SessionManager } from "@tau/session";
import { compactionSummaryMessage, messageOf } from "@tau/session/log";

import { entryMessage } from "./entry-message.ts";
import { limits } from "./limits.ts";

export interface Past {
	messages: AgentMessage[];
	/** Entries before them. */
	leftOut: number;
}

/** `isDrawn` returns whether an extension renders its stored entries of this type. */
export function pastOf(log: SessionManager, isDrawn: (customType: string) => boolean = () => false): Past {
	const path = log.getBranchHeads();
	const messages: AgentMessage[] = [];
	let at = path.length;
	let chars = 0;
	while (at > 0 && messages.length < limits.resumedMessages && chars < limits.resumedChars) {
		const head = path[--at];
		// Nothing before it is in the model's context any more.
		if (head?.type === "reset_boundary") break;
		const entry = head && (isShown(head.type) || head.type === "custom") ? log.getEntry(head.id) : undefined;
		if (!entry) continue;
		const userMessages = messagesIn(entry, isDrawn);
		messages.unshift(...userMessages);
		chars += userMessages.reduce((sum, message) => sum + charsOf(message), 0);
	}
	// A result is useless if its call is not shown.
	while (messages[0]?.role === "toolResult") messages.shift();
	return { messages, leftOut: path.slice(0, at).filter(({ type }) => isShown(type)).length };
}

function isShown(type: string): boolean {
	return (
		type === "message" || type === "custom_message" || type === "branch_summary" || type === "compaction"
	);
}

function messagesIn(entry: SessionEntry, isDrawn: (customType: string) => boolean): AgentMessage[] {
	if (entry.type === "compaction") return [compactionSummaryMessage(entry)];
	if (entry.type === "custom") return isDrawn(entry.customType) ? [entryMessage(entry)] : [];
	return messageOf(entry);
}

/** What it takes to lay it out, roughly: results of tools are folded to nothing. */
function charsOf(message: AgentMessage): number {
	if (message.role !== "user" && message.role !== "assistant") return 0;
	if (typeof message.content === "string") return message.content.length;
	return message.content.reduce((sum, part) => sum + (part.type === "text" ? part.text.length : 0), 0);
}
