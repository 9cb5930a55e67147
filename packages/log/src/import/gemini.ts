/**
 * Reads a chat of Gemini CLI: one JSON object, or in newer versions a log in which the last record of a message counts,
 * `$rewindTo` removes what follows, and `$set` changes the rest.
 */
import { readFileSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";

import type { AssistantContent, ImageContent, TextContent, ToolCall, Usage } from "@tau/ai";
import { oneLine } from "@tau/utils";

import { number, record, records, text, time } from "./fields.ts";
import { limits } from "./limits.ts";
import { safeId } from "./safe-id.ts";
import { sourceLines, wholeObject } from "./source-lines.ts";
import { TranscriptEntries, type Result } from "./transcript-entries.ts";
import { count, noUsage, type SourceFile, type Transcript } from "./transcript.ts";

interface Chat {
	facts: Record<string, unknown>;
	messages: Record<string, unknown>[];
	unknown: Map<string, number>;
}

export function readGemini(file: SourceFile): Transcript {
	const { facts, messages, unknown } = chatOf(file.path);
	const entries = new TranscriptEntries({
		provider: "google",
		api: "google-generative-ai",
		contextType: "gemini.context",
	});
	messages.forEach((message, at) => {
		entries.at(text(message.id) || String(at + 1), time(message.timestamp));
		add(message, entries, unknown);
	});
	const timestamp = time(facts.startTime) ?? time(messages[0]?.timestamp) ?? file.modified.toISOString();
	const title = oneLine(text(facts.summary), limits.titleChars);
	return {
		id: safeId(text(facts.sessionId) || basename(file.path, extname(file.path))),
		timestamp,
		cwd: directoryOf(facts, file.path),
		...(title === "" ? {} : { title }),
		...entries.done(timestamp),
		unknown,
	};
}

function chatOf(path: string): Chat {
	const whole = wholeObject(path);
	if (whole) return { facts: whole, messages: records(whole.messages), unknown: new Map() };
	const chat: Chat = { facts: {}, messages: [], unknown: new Map() };
	const byId = new Map<string, Record<string, unknown>>();
	for (const { value } of sourceLines(path)) {
		if (!value) count(chat.unknown, "unreadable");
		else if (typeof value.$rewindTo === "string") rewind(byId, value.$rewindTo);
		else if (text(value.id) !== "") byId.set(text(value.id), value);
		else {
			const { messages, ...facts } = value.$set === undefined ? value : record(value.$set);
			Object.assign(chat.facts, facts);
			// A compression replaces them there; here what was said before it stays.
			for (const message of records(messages))
				if (text(message.id) !== "") byId.set(text(message.id), message);
		}
	}
	chat.messages.push(...byId.values());
	return chat;
}

function rewind(messages: Map<string, unknown>, to: string): void {
	const ids = [...messages.keys()];
	for (const id of ids.slice(Math.max(0, ids.indexOf(to)))) messages.delete(id);
}

function add(
	message: Record<string, unknown>,
	entries: TranscriptEntries,
	unknown: Map<string, number>,
): void {
	const type = text(message.type);
	const parts = partsOf(message.content);
	const words = parts.map((part) => (part.type === "text" ? part.text : "")).join("\n");
	if (type === "gemini") return addAnswer(message, parts, entries);
	if (type === "user" && !/^[/?]/.test(words)) {
		if (parts.length > 0) entries.prompt(parts);
	} else if (["user", "info", "error", "warning"].includes(type)) {
		if (words !== "") entries.context(type, words);
	} else count(unknown, type || "without a type");
}

function addAnswer(
	message: Record<string, unknown>,
	parts: readonly (TextContent | ImageContent)[],
	entries: TranscriptEntries,
): void {
	if (text(message.model) !== "") entries.model(text(message.model));
	const calls = records(message.toolCalls).map((call, at) => ({
		call,
		id: text(call.id) || `${entries.key}-${at}`,
	}));
	const blocks: AssistantContent[] = [
		...thoughtsOf(message.thoughts),
		...parts.filter((part) => part.type === "text"),
		...calls.map(({ call, id }): ToolCall => ({
			type: "toolCall",
			id,
			name: text(call.name),
			arguments: record(call.args),
		})),
	];
	if (blocks.length === 0) return;
	entries.answer(...blocks);
	entries.used(usageOf(record(message.tokens)));
	for (const { call, id } of calls) entries.result(id, resultOf(call));
}

function thoughtsOf(thoughts: unknown): AssistantContent[] {
	const thinking = records(thoughts)
		.map(({ subject, description }) => [text(subject) && `**${text(subject)}**`, text(description)])
		.map((paragraphs) => paragraphs.filter((words) => words !== "").join("\n\n"))
		.join("\n\n");
	return thinking === "" ? [] : [{ type: "thinking", thinking }];
}

/** Text, a part, or parts. */
function partsOf(content: unknown): (TextContent | ImageContent)[] {
	const parts: unknown[] = Array.isArray(content) ? content : [content];
	return parts.flatMap((part): (TextContent | ImageContent)[] => {
		const { mimeType, data } = record(record(part).inlineData);
		if (text(data) !== "" && text(mimeType).startsWith("image/"))
			return [{ type: "image", mimeType: text(mimeType), data: text(data) }];
		const words = text(part) || text(record(part).text);
		return words === "" ? [] : [{ type: "text", text: words }];
	});
}

function resultOf({ result, resultDisplay, status }: Record<string, unknown>): Result {
	const responses = records(result).map((part) => record(record(part.functionResponse).response));
	const words = responses
		.map(({ output, error }) => text(output) || text(error))
		.filter((part) => part !== "")
		.join("\n");
	const shown = words || text(result) || text(resultDisplay);
	return {
		content: shown === "" ? [] : [{ type: "text", text: shown }],
		isError:
			status === "error" || status === "cancelled" || responses.some(({ error }) => text(error) !== ""),
	};
}

/** Cached tokens are part of the input there, and separate here. */
function usageOf(tokens: Record<string, unknown>): Usage {
	const cacheRead = number(tokens.cached);
	const input = Math.max(0, number(tokens.input) - cacheRead);
	const output = number(tokens.output) + number(tokens.thoughts);
	const totalTokens = number(tokens.total) || input + cacheRead + output;
	return { ...noUsage(), input, output, cacheRead, totalTokens };
}

/** Older versions store only a hash of the directory. */
function directoryOf(facts: Record<string, unknown>, path: string): string {
	const [first] = Array.isArray(facts.directories) ? facts.directories : [];
	if (text(first) !== "") return text(first);
	const project = dirname(dirname(path));
	const marker = readIfThere(join(project, ".project_root"))?.trim() ?? "";
	if (marker !== "") return marker;
	const projects = record(wholeObjectIfThere(join(project, "../../projects.json"))?.projects);
	const hash = text(facts.projectHash);
	const known = Object.entries(projects).find(
		([directory, slug]) => slug === basename(project) || sha256(directory) === hash,
	);
	return known?.[0] ?? "";
}

function wholeObjectIfThere(path: string): Record<string, unknown> | undefined {
	return readIfThere(path) === undefined ? undefined : wholeObject(path);
}

function readIfThere(path: string): string | undefined {
	try {
		return readFileSync(path, "utf8");
	} catch {
		// Then the directory is not known from it.
		return undefined;
	}
}

function sha256(content: string): string {
	return new Bun.CryptoHasher("sha256").update(content).digest("hex");
}
