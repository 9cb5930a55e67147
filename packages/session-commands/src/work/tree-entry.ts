/** An entry of a session as the tree shows it: its role, the start of its text, and the text that a search matches. */
import type { AgentMessage } from "@tau/agent";
import { oneLine, stripControls, tokens } from "@tau/utils";
import { invocationOf, type SessionEntry } from "@tau/log";
import type { Entry } from "@tau/wire";

import { limits } from "../limits.ts";

export type Speaker = "user" | "assistant" | "tool" | "userCommand" | "summary" | "custom" | "bookkeeping";

export interface TreeEntry {
	id: string;
	parentId: string | null;
	timestamp: string;
	type: string;
	speaker: Speaker;
	/** The prefix of the text: `user`, `assistant`, `[bash]`. */
	head: string;
	text: string;
	/** In lower case. */
	searchText: string;
	/** An answer that only calls tools. */
	isToolOnly: boolean;
	/** An answer that was stopped or that failed. */
	hasFailed: boolean;
}

/** The descriptions of tool calls, for the results that follow them. */
export type Calls = Map<string, string>;

export interface EntryLabel {
	label: string;
	timestamp: string;
}

/** What a label entry says about another one; without a label it takes it away. */
export function labelIn(line: Entry | SessionEntry): { targetId: string; label?: EntryLabel } | undefined {
	const entry = line as SessionEntry;
	if (entry.type !== "label") return undefined;
	const { targetId, label, timestamp } = entry;
	return { targetId, ...(label ? { label: { label, timestamp } } : {}) };
}

/** An entry of a client is a line of the log, whose fields depend on its type. */
export function treeEntry(line: Entry | SessionEntry, calls: Calls): TreeEntry {
	const entry = line as SessionEntry;
	const { id, parentId, timestamp, type } = entry;
	const facts = entry.type === "message" ? messageFacts(entry.message, calls) : otherFacts(entry);
	const text = clean(facts.text);
	const searchText = `${type} ${facts.head} ${facts.more ?? ""} ${text}`
		.slice(0, limits.searchChars)
		.toLowerCase();
	return {
		id,
		parentId,
		timestamp,
		type,
		speaker: facts.speaker,
		head: clean(facts.head),
		text,
		searchText,
		isToolOnly: facts.isToolOnly ?? false,
		hasFailed: facts.hasFailed ?? false,
	};
}

/** The text to edit again, for a message that allows it: one of the user, or of an extension. */
export function textToEdit(entry: SessionEntry): string | undefined {
	if (entry.type === "custom_message") return textIn(entry.content);
	return entry.type === "message" && entry.message.role === "user"
		? (invocationOf(entry.message) ?? textIn(entry.message.content))
		: undefined;
}

interface Facts {
	speaker: Speaker;
	head: string;
	text: string;
	/** Used only by a search. */
	more?: string;
	isToolOnly?: boolean;
	hasFailed?: boolean;
}

function messageFacts(message: AgentMessage, calls: Calls): Facts {
	switch (message.role) {
		case "user":
			return { speaker: "user", head: "user", text: invocationOf(message) ?? textIn(message.content) };
		case "assistant":
			return answerFacts(message, calls);
		case "toolResult": {
			const call = calls.get(message.toolCallId) ?? "";
			const head = `[${message.toolName}${message.isError ? " failed" : ""}]`;
			const result = textIn(message.content);
			// The first line says what happened; the rest of a list or a file says nothing in one row.
			const [first = ""] = result.trimStart().split("\n", 1);
			return { speaker: "tool", head, text: call || first, more: result };
		}
		case "bashExecution":
			return { speaker: "userCommand", head: "[bash]", text: message.command };
		case "pythonExecution":
			return { speaker: "userCommand", head: `[${message.language ?? "python"}]`, text: message.code };
		case "custom":
			return { speaker: "custom", head: `[${message.customType}]`, text: textIn(message.content) };
		case "branchSummary":
		case "compactionSummary":
			return { speaker: "summary", head: "[summary]", text: message.summary };
	}
}

function answerFacts(message: Extract<AgentMessage, { role: "assistant" }>, calls: Calls): Facts {
	const text = textIn(message.content);
	const called = message.content.flatMap((part) => (part.type === "toolCall" ? [part] : []));
	for (const { id, arguments: args } of called) calls.set(id, callWords(args));
	const hasFailed = message.stopReason === "error" || message.stopReason === "aborted";
	const names = called.map(({ name }) => name).join(", ");
	const instead = hasFailed ? `(${message.errorMessage ?? message.stopReason})` : names;
	return {
		speaker: "assistant",
		head: "assistant",
		text: text === "" ? instead : text,
		more: called.map(({ id }) => calls.get(id) ?? "").join(" "),
		isToolOnly: text === "" && called.length > 0,
		hasFailed,
	};
}

function otherFacts(entry: Exclude<SessionEntry, { type: "message" }>): Facts {
	const note = (head: string, text = ""): Facts => ({ speaker: "bookkeeping", head: `[${head}]`, text });
	switch (entry.type) {
		case "compaction":
			return {
				speaker: "summary",
				head: entry.undone ? "[compaction undone]" : `[compaction of ${tokens(entry.tokensBefore)} tokens]`,
				text: entry.shortSummary ?? entry.summary,
			};
		case "branch_summary":
			return { speaker: "summary", head: "[branch summary]", text: entry.summary };
		case "custom_message":
			return { speaker: "custom", head: `[${entry.customType}]`, text: textIn(entry.content) };
		case "custom":
			return note("custom", entry.customType);
		case "model_change":
			return note("model", `${entry.provider}/${entry.modelId}`);
		case "usage":
			return note("usage", entry.kind);
		case "thinking_level_change":
			return note("thinking", entry.thinkingLevel);
		case "label":
			return note("label", entry.label ?? "(removed)");
		case "session_info":
			return note("title", entry.name ?? "");
		case "title_change":
			return note("title", entry.title);
		case "mode_change":
			return note("mode", entry.mode);
		case "context_edit":
			return note("context", entry.dropped?.length === 0 ? "brought back" : "dropped");
		default:
			return note(entry.type);
	}
}

/** The most informative argument: the command, the pattern or the path. */
function callWords(args: Record<string, unknown>): string {
	for (const key of ["command", "path", "pattern", "query", "url"]) {
		const value = args[key];
		if (typeof value === "string") return key === "command" ? `$ ${value}` : value;
	}
	return "";
}

/** A file of another program may hold anything. */
function textIn(content: unknown): string {
	if (typeof content === "string") return content;
	if (!Array.isArray(content)) return "";
	return content
		.map((part: unknown) => {
			if (typeof part !== "object" || part === null || !("type" in part)) return "";
			if (part.type === "image") return "[image]";
			return part.type === "text" && "text" in part && typeof part.text === "string" ? part.text : "";
		})
		.filter((text) => text !== "")
		.join(" ")
		.trim();
}

function clean(text: unknown): string {
	const known = typeof text === "string" ? text : "";
	return oneLine(
		stripControls(known.slice(0, limits.searchChars), { newline: false, tab: false }),
		limits.lineChars,
	);
}
