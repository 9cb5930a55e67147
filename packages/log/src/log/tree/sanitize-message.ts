/** Sanitizes a message from a file: a file may hold anything, and the readers of messages rely on their shape. */
import type { AgentMessage } from "@tau/agent";
import type { ImageContent, TextContent } from "@tau/ai";
import { isRecord } from "@tau/utils";

type Fields = Record<string, unknown>;

const noCost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
const noUsage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 };

/** Messages that were found valid: a context is built again and again from the same entries. */
const valid = new WeakSet<object>();

/** Returns the message itself if it is valid, and undefined if nothing in it is usable. */
export function sanitizeMessage(message: unknown): AgentMessage | undefined {
	if (!isRecord(message) || typeof message.role !== "string") return undefined;
	// Only this function adds to the set.
	if (valid.has(message)) return message as unknown as AgentMessage;
	const sanitized = mended(message, message.role);
	if (sanitized === message) valid.add(message);
	// Only the fields of model and session roles were checked; other roles belong to their owners.
	return sanitized as unknown as AgentMessage | undefined;
}

export function sanitizeContent(content: unknown): string | (TextContent | ImageContent)[] {
	if (typeof content === "string") return content;
	const parts = validParts(content);
	return parts as unknown as (TextContent | ImageContent)[];
}

function mended(message: Fields, role: string): Fields | undefined {
	switch (role) {
		case "user":
		case "custom":
			return typeof message.content === "string"
				? message
				: withContent(message, validParts(message.content));
		case "assistant":
			return withUsage(withContent(message, validParts(listOf(message.content))));
		case "toolResult":
			if (typeof message.toolCallId !== "string") return undefined;
			return withStrings(withContent(message, validParts(listOf(message.content))), ["toolName"]);
		case "bashExecution":
			return withStrings(message, ["command", "output"]);
		case "pythonExecution":
			return withStrings(message, ["code", "output"]);
		case "branchSummary":
		case "compactionSummary":
			return withStrings(message, ["summary"]);
		default:
			return message;
	}
}

/** Some programs write a plain text where the models' roles have a list. */
function listOf(content: unknown): unknown {
	return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

/** Returns the list itself if all of it is valid. */
function validParts(content: unknown): readonly Fields[] {
	if (!Array.isArray(content)) return [];
	return content.every(isValidPart) ? content : content.filter(isValidPart);
}

function isValidPart(part: unknown): part is Fields {
	if (!isRecord(part)) return false;
	switch (part.type) {
		case "text":
			return typeof part.text === "string";
		case "thinking":
			return typeof part.thinking === "string";
		case "image":
			return typeof part.data === "string" && typeof part.mimeType === "string";
		case "toolCall":
			return typeof part.id === "string" && typeof part.name === "string" && isRecord(part.arguments);
		default:
			return typeof part.type === "string";
	}
}

function withContent(message: Fields, content: readonly Fields[]): Fields {
	return content === message.content ? message : { ...message, content };
}

/** The costs of answers are added up; a missing number would make the sum NaN. */
function withUsage(message: Fields): Fields {
	const usage = isRecord(message.usage) ? message.usage : {};
	const cost = isRecord(usage.cost) ? usage.cost : {};
	if (hasNumbers(usage, noUsage) && hasNumbers(cost, noCost)) return message;
	return { ...message, usage: { ...numbers(usage, noUsage), cost: numbers(cost, noCost) } };
}

function hasNumbers(fields: Fields, names: object): boolean {
	return Object.keys(names).every((name) => Number.isFinite(fields[name]));
}

function numbers(fields: Fields, names: object): Fields {
	const known = Object.keys(names).map((name) => [name, Number.isFinite(fields[name]) ? fields[name] : 0]);
	return { ...fields, ...Object.fromEntries(known) };
}

function withStrings(message: Fields, names: readonly string[]): Fields {
	const missing = names.filter((name) => typeof message[name] !== "string");
	return missing.length === 0
		? message
		: { ...message, ...Object.fromEntries(missing.map((name) => [name, ""])) };
}
