/** Extracts the readable parts of an entry. A file may contain anything, so every field is checked. */
import { stripControls, isRecord } from "@tau/utils";

import { invocationOf, type SessionEntry } from "@tau/log";
import type { WholeOf } from "./source.ts";

export type Part =
	| { kind: "text" | "thinking"; text: string }
	| { kind: "call"; name: string; text: string }
	| { kind: "result"; name: string; text: string; isError: boolean }
	| { kind: "image"; mimeType: string; data: string };

export interface MessagePart {
	/** The speaker, or the kind of event. */
	who: string;
	/** True for a message, false for an event. */
	isMessage: boolean;
	parts: Part[];
}

const roles: Readonly<Record<string, string>> = {
	user: "User",
	assistant: "Assistant",
	toolResult: "Tool result",
	bashExecution: "Command",
	pythonExecution: "Python",
	custom: "Extension",
};

export function spoken(entry: SessionEntry, wholeOf: WholeOf = () => undefined): MessagePart {
	// Only the head is sure to match the type.
	const fields: Record<string, unknown> = { ...entry };
	switch (entry.type) {
		case "message":
			return isRecord(fields.message) ? messageOf(fields.message, wholeOf) : happened("message", "");
		case "custom_message":
			return { who: "Extension", isMessage: true, parts: contentOf(fields.content) };
		case "compaction":
			return { who: "Compaction", isMessage: true, parts: textPart(fields.summary) };
		case "branch_summary":
			return { who: "Branch summary", isMessage: true, parts: textPart(fields.summary) };
		case "model_change":
			return happened("Model", `${clean(fields.provider)}/${clean(fields.modelId)}`);
		case "thinking_level_change":
			return happened("Thinking", clean(fields.thinkingLevel));
		case "usage":
			return happened("Usage", clean(fields.kind));
		case "session_info":
			return happened("Name", clean(fields.name));
		case "title_change":
			return happened("Name", clean(fields.title));
		case "label":
			return happened("Label", `${clean(fields.label) || "none"} on ${clean(fields.targetId)}`);
		case "custom":
			return happened("Extension state", clean(fields.customType));
		default:
			return happened(clean(fields.type), "");
	}
}

function messageOf(message: Record<string, unknown>, wholeOf: WholeOf): MessagePart {
	const role = clean(message.role);
	const isScript = role === "pythonExecution" && message.language === "js";
	const who = isScript ? "JavaScript" : (roles[role] ?? (role || "message"));
	if (role === "bashExecution" || role === "pythonExecution") {
		const ran = clean(message.command ?? message.code);
		const isError = typeof message.exitCode === "number" && message.exitCode !== 0;
		const output: Part = { kind: "result", name: "output", text: clean(message.output), isError };
		return { who, isMessage: true, parts: [{ kind: "call", name: who, text: ran }, output] };
	}
	const whole = role === "toolResult" ? wholeOf(message.details) : undefined;
	const parts = contentOf(whole ?? message.content);
	if (role === "toolResult") return { who, isMessage: true, parts: resultOf(message, parts) };
	const called = invocationOf(message);
	if (called !== undefined) return { who, isMessage: true, parts: callOf(called, parts) };
	const failure = clean(message.errorMessage);
	if (failure !== "") parts.push({ kind: "result", name: "error", text: failure, isError: true });
	return { who, isMessage: true, parts };
}

/** The text that the user wrote, and separately the text that the model received in its place. */
function callOf(called: string, parts: readonly Part[]): Part[] {
	const text = parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n");
	return [
		...textPart(called),
		...parts.filter(({ kind }) => kind === "image"),
		{ kind: "result", name: "expanded", text, isError: false },
	];
}

function resultOf(message: Record<string, unknown>, parts: readonly Part[]): Part[] {
	const text = parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n");
	const name = clean(message.toolName);
	return [
		...rewrittenCall(name, message.rewritten),
		{ kind: "result", name, text, isError: message.isError === true },
		...parts.filter(({ kind }) => kind === "image"),
	];
}

/** The call that ran instead of the one that the model wrote. */
function rewrittenCall(name: string, rewritten: unknown): Part[] {
	if (!isRecord(rewritten)) return [];
	const by = Array.isArray(rewritten.by) ? rewritten.by.map(clean).join(", ") : "";
	const text = clean(JSON.stringify(rewritten.arguments ?? {}, null, 2));
	return [{ kind: "call", name: `${name} (arguments changed by: ${by || "unknown"})`, text }];
}

function contentOf(content: unknown): Part[] {
	if (!Array.isArray(content)) return textPart(content);
	return content.flatMap((block: unknown): Part[] => (isRecord(block) ? blockOf(block) : []));
}

function blockOf(block: Record<string, unknown>): Part[] {
	switch (block.type) {
		case "text":
			return textPart(block.text);
		case "thinking":
			return textPart(block.thinking, "thinking");
		case "toolCall": {
			const text = clean(JSON.stringify(block.arguments ?? {}, null, 2));
			return [{ kind: "call", name: clean(block.name), text }];
		}
		case "image":
			return [{ kind: "image", mimeType: clean(block.mimeType), data: clean(block.data) }];
		default:
			return [];
	}
}

function happened(who: string, text: string): MessagePart {
	return { who, isMessage: false, parts: textPart(text) };
}

function textPart(value: unknown, kind: "text" | "thinking" = "text"): Part[] {
	const text = clean(value);
	return text.trim() === "" ? [] : [{ kind, text }];
}

function clean(value: unknown): string {
	return typeof value === "string" ? stripControls(value) : "";
}
