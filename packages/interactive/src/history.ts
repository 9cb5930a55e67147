/** The end of a session's branch that is shown when the session is opened: the rest is never read. */
import { messagesOf } from "@tau/session-commands/work";
import { isRecord, oneLine } from "@tau/utils";
import { commentType, type Entry, type EntryTail, type WireMessage } from "@tau/wire";

import { entryMessage } from "./entry-message.ts";
import { limits } from "./limits.ts";

export interface Past {
	messages: WireMessage[];
	/** Entries of the branch before them. */
	leftOut: number;
}

/** `isDrawn` returns whether an extension renders its stored entries of this type. */
export function pastOf(tail: EntryTail, isDrawn: (customType: string) => boolean = () => false): Past {
	const { entries, earlier } = tail;
	const messages: WireMessage[] = [];
	let at = entries.length;
	let chars = 0;
	while (at > 0 && messages.length < limits.resumedMessages && chars < limits.resumedChars) {
		const entry = entries[--at];
		// Nothing before it is in the model's context any more.
		if (entry?.type === "reset_boundary") break;
		if (!entry) continue;
		const userMessages = messagesIn(entry, isDrawn);
		messages.unshift(...userMessages);
		chars += userMessages.reduce((sum, message) => sum + charsOf(message), 0);
	}
	// A result is useless if its call is not shown.
	while (messages[0]?.role === "toolResult") messages.shift();
	return { messages, leftOut: earlier + at };
}

function messagesIn(entry: Entry, isDrawn: (customType: string) => boolean): WireMessage[] {
	if (entry.type !== "custom") return messagesOf(entry);
	const { customType } = entry;
	if (customType === commentType) return commentsIn(entry);
	return typeof customType === "string" && isDrawn(customType)
		? [entryMessage({ ...entry, customType })]
		: [];
}

/** A comment of a session that is opened looks as it did when it was made. */
export function commentText({ text, by }: { text: string; by: string }): string {
	return `${oneLine(by, limits.lineChars)} commented: ${text}`;
}

function commentsIn({ data, timestamp }: Entry): WireMessage[] {
	if (!isRecord(data) || typeof data.text !== "string" || typeof data.by !== "string") return [];
	const content = commentText({ text: data.text, by: data.by });
	return [
		{ role: "custom", customType: commentType, content, display: true, timestamp: Date.parse(timestamp) },
	];
}

/** What it takes to lay it out, roughly: results of tools are folded to nothing. */
function charsOf(message: WireMessage): number {
	if (message.role !== "user" && message.role !== "assistant") return 0;
	if (typeof message.content === "string") return message.content.length;
	return message.content.reduce((sum, part) => sum + (part.type === "text" ? part.text.length : 0), 0);
}
