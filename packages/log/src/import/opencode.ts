/** Reads a session of opencode: from its database, or from the files that older versions write. */
import { Database } from "bun:sqlite";
import { readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";

import type { Api, AssistantContent, ImageContent, TextContent, Usage } from "@tau/ai";
import { isRecord, oneLine } from "@tau/utils";

import { dataUrl, number, record, records, text, timeOf } from "./fields.ts";
import { limits } from "./limits.ts";
import { safeId } from "./safe-id.ts";
import { wholeObject } from "./source-lines.ts";
import { TranscriptEntries, type Result } from "./transcript-entries.ts";
import { count, noUsage, type SourceFile, type Transcript } from "./transcript.ts";

/** The name of the database; a session in it has the path of the database, a slash, and its id. */
export const databaseName = "opencode.db";

type Item = Record<string, unknown>;

interface Stored {
	session: Item;
	/** In order, each with its parts. */
	messages: { message: Item; parts: Item[] }[];
}

/** The sessions of a database, without those of agents, which are counted. Throws what SQLite says. */
export function sessionsIn(path: string): { sessions: string[]; agents: number } {
	using database = new Database(path, { readonly: true });
	const rows = database
		.query<{ id: string; parent: string | null }, []>(
			"SELECT id, parent_id AS parent FROM session ORDER BY time_created, id",
		)
		.all();
	const own = rows.filter(({ parent }) => parent === null || parent === "");
	return { sessions: own.map(({ id }) => `${path}/${id}`), agents: rows.length - own.length };
}

/** Whether the path is that of a session inside a database. */
export function isInDatabase(path: string): boolean {
	const database = dirname(path);
	return (
		basename(database) === databaseName && statSync(database, { throwIfNoEntry: false })?.isFile() === true
	);
}

export function readOpencode(file: SourceFile): Transcript {
	const { session, messages } = isInDatabase(file.path) ? fromDatabase(file.path) : fromFiles(file.path);
	const entries = new TranscriptEntries({
		provider: "",
		api: "openai-completions",
		contextType: "opencode.context",
	});
	const unknown = new Map<string, number>();
	for (const { message, parts } of messages) {
		entries.at(text(message.id), timeOf(record(message.time).created));
		if (message.role === "user") addPrompt(parts, entries);
		else addAnswer(message, parts, entries, unknown);
	}
	const timestamp = timeOf(record(session.time).created) ?? file.modified.toISOString();
	const title = oneLine(text(session.title), limits.titleChars);
	return {
		id: safeId(text(session.id) || basename(file.path, ".json")),
		timestamp,
		cwd: text(session.directory),
		...(title === "" || title.startsWith("New session - ") ? {} : { title }),
		...entries.done(timestamp),
		unknown,
	};
}

function fromDatabase(path: string): Stored {
	using database = new Database(dirname(path), { readonly: true });
	const id = basename(path);
	const session = database
		.query<{ directory: string; title: string; created: number }, [string]>(
			"SELECT directory, title, time_created AS created FROM session WHERE id = ?",
		)
		.get(id);
	if (!session) throw new Error(`${dirname(path)} has no session ${id}.`);
	const parts = Map.groupBy(
		database
			.query<{ message: string; data: string }, [string]>(
				"SELECT message_id AS message, data FROM part WHERE session_id = ? ORDER BY id",
			)
			.all(id),
		({ message }) => message,
	);
	const rows = database
		.query<{ id: string; created: number; data: string }, [string]>(
			"SELECT id, time_created AS created, data FROM message WHERE session_id = ? ORDER BY time_created, id",
		)
		.all(id);
	return {
		session: { id, ...session, time: { created: session.created } },
		messages: rows.map((row) => ({
			message: { time: { created: row.created }, ...parsed(row.data), id: row.id },
			parts: (parts.get(row.id) ?? []).map(({ data }) => parsed(data)),
		})),
	};
}

/** `storage/session/<project>/<id>.json`, `storage/message/<session>/<id>.json`, `storage/part/<message>/<id>.json`. */
function fromFiles(path: string): Stored {
	const session = wholeObject(path) ?? {};
	const storage = join(dirname(path), "../..");
	const messages = objectsIn(join(storage, "message", text(session.id))).toSorted(
		(a, b) =>
			number(record(a.time).created) - number(record(b.time).created) || (text(a.id) < text(b.id) ? -1 : 1),
	);
	return {
		session,
		messages: messages.map((message) => ({
			message,
			parts: objectsIn(join(storage, "part", text(message.id))),
		})),
	};
}

function objectsIn(directory: string): Item[] {
	let names: string[];
	try {
		names = readdirSync(directory);
	} catch {
		// A message without parts has no directory.
		return [];
	}
	return names.toSorted().flatMap((name): Item[] => {
		const item = wholeObject(join(directory, name));
		return item ? [item] : [];
	});
}

function addPrompt(parts: readonly Item[], entries: TranscriptEntries): void {
	const own = parts.filter(({ synthetic, ignored }) => synthetic !== true && ignored !== true);
	const content = own.flatMap((part): (TextContent | ImageContent)[] => {
		if (part.type === "file") return [attachmentOf(part)];
		return part.type === "text" && text(part.text) !== "" ? [{ type: "text", text: text(part.text) }] : [];
	});
	const added = parts.filter(({ type, synthetic }) => type === "text" && synthetic === true);
	if (content.length > 0) entries.prompt(content);
	const words = added.map((part) => text(part.text)).join("\n\n");
	if (words !== "") entries.context("user", words);
}

function attachmentOf({ url, mime, filename }: Item): TextContent | ImageContent {
	const inline = dataUrl(text(url));
	if (inline && text(mime).startsWith("image/")) return { type: "image", ...inline };
	return { type: "text", text: `[A file: ${text(filename) || text(mime) || "not in the session"}]` };
}

const protocols: Readonly<Record<string, Api>> = {
	anthropic: "anthropic-messages",
	google: "google-generative-ai",
	openai: "openai-responses",
};

/** Known, and nothing that belongs into a conversation. */
const silentParts: ReadonlySet<string> = new Set([
	"step-start",
	"step-finish",
	"snapshot",
	"patch",
	"agent",
	"subtask",
	"retry",
	"compaction",
	"file",
]);

function addAnswer(
	message: Item,
	parts: readonly Item[],
	entries: TranscriptEntries,
	unknown: Map<string, number>,
): void {
	const words = parts.flatMap((part) => (part.type === "text" ? [text(part.text)] : [])).join("\n\n");
	if (message.summary === true) {
		if (words !== "") entries.compact(words);
		return;
	}
	entries.provider = text(message.providerID);
	entries.api = protocols[entries.provider] ?? "openai-completions";
	if (text(message.modelID) !== "") entries.model(text(message.modelID));
	// The calls of a step were made at once.
	let results: [id: string, result: Result][] = [];
	const endStep = (): void => {
		for (const [id, result] of results) entries.result(id, result);
		results = [];
	};
	for (const part of parts) {
		const type = text(part.type);
		if (type === "step-start") endStep();
		const block = blockOf(part);
		if (block) entries.answer(block);
		else if (!silentParts.has(type) && type !== "text" && type !== "reasoning")
			count(unknown, type || "without a type");
		const result = type === "tool" ? resultOf(record(part.state)) : undefined;
		if (result) results.push([text(part.callID), result]);
	}
	entries.used(usageOf(message));
	endStep();
	const { data, name } = record(message.error);
	if (text(name) !== "") entries.context("error", text(record(data).message) || text(name));
}

function blockOf(part: Item): AssistantContent | undefined {
	const words = text(part.text);
	if (part.type === "text") return words === "" ? undefined : { type: "text", text: words };
	if (part.type === "reasoning") return words === "" ? undefined : { type: "thinking", thinking: words };
	if (part.type !== "tool") return undefined;
	const { input } = record(part.state);
	return { type: "toolCall", id: text(part.callID), name: text(part.tool), arguments: record(input) };
}

/** Undefined for a call that did not end. */
function resultOf({ status, output, error, attachments }: Item): Result | undefined {
	if (status === "error") return { content: [{ type: "text", text: text(error) }], isError: true };
	if (status !== "completed") return undefined;
	const words = text(output);
	return {
		content: [
			...(words === "" ? [] : [{ type: "text" as const, text: words }]),
			...records(attachments).map(attachmentOf),
		],
		isError: false,
	};
}

function usageOf({ tokens, cost }: Item): Usage {
	const { input, output, reasoning, cache } = record(tokens);
	const { read, write } = record(cache);
	const used = {
		input: number(input),
		output: number(output) + number(reasoning),
		cacheRead: number(read),
		cacheWrite: number(write),
	};
	const totalTokens = used.input + used.output + used.cacheRead + used.cacheWrite;
	return { ...noUsage(), ...used, totalTokens, cost: { ...noUsage().cost, total: number(cost) } };
}

function parsed(data: string): Item {
	try {
		const value: unknown = JSON.parse(data);
		return isRecord(value) ? value : {};
	} catch {
		// Counted as a part without a type.
		return {};
	}
}
