/** The timeline of one session: its turns, calls and results, read from its file when it is asked for. */
import { closeSync, openSync, statSync } from "node:fs";

import { stripControls } from "@tau/utils";

import { limits } from "../limits.ts";
import { readLines } from "../scan/read-lines.ts";
import { count, list, object, parse, text, time, words, type Json } from "../scan/values.ts";

/** One thing that happened; a span has a length. */
export interface TraceEntry {
	id: string;
	/** `user`, `answer`, `tool`, `compaction`, or the type of the entry. */
	kind: string;
	/** When it began. */
	at: number;
	durationMs: number;
	/** The model, or the tool. */
	name: string;
	text: string;
	isError: boolean;
	tokens: number;
	/** Null if it is not known. */
	cost: number | null;
}

export interface Trace {
	file: string;
	entries: TraceEntry[];
	/** Entries that are left out because there are more than a page can show. */
	omitted: number;
}

/** Sessions of Tau, pi, omp and Claude Code. Throws what the file system says. */
export function traceOf(path: string): Trace {
	const trace: Trace = { file: path, entries: [], omitted: 0 };
	eachLine(path, (line) => {
		const entry = entryOf(line);
		if (!entry) return;
		if (trace.entries.length < limits.traceEntries) trace.entries.push(entry);
		else trace.omitted++;
	});
	return trace;
}

/** The whole entry with this id; undefined if there is none. */
export function traceEntry(path: string, id: string): Json | undefined {
	let found: Json | undefined;
	eachLine(path, (line) => {
		if (idOf(line) === id) found ??= line;
	});
	return found;
}

function eachLine(path: string, onLine: (line: Json) => void): void {
	const { size } = statSync(path);
	const file = openSync(path, "r");
	try {
		readLines(file, 0, size, (bytes, start, end) => {
			const line = end - start > limits.entryBytes ? undefined : parse(bytes.toString("utf8", start, end));
			if (line) onLine(line);
		});
	} finally {
		closeSync(file);
	}
}

function idOf(line: Json): string {
	return text(line.id) || text(line.uuid);
}

function entryOf(line: Json): TraceEntry | undefined {
	const message = object(line.message);
	const role = text(message.role);
	const at = time(message.timestamp) || time(line.timestamp);
	const type = text(line.type);
	if (at === 0 || type === "session") return undefined;
	const entry: TraceEntry = {
		id: idOf(line),
		kind: type,
		at,
		durationMs: 0,
		name: "",
		text: shown(text(line.summary) || text(line.name) || text(line.title)),
		isError: false,
		tokens: 0,
		cost: null,
	};
	if (role === "assistant") return answerEntry(entry, message);
	if (role === "toolResult") return toolEntry(entry, message);
	if (role === "user") return { ...entry, kind: "user", text: shown(words(message.content)) };
	return role === "" || type !== "message" ? entry : { ...entry, kind: role };
}

function answerEntry(entry: TraceEntry, message: Json): TraceEntry {
	const usage = object(message.usage);
	const counts = [
		usage.input ?? usage.input_tokens,
		usage.output ?? usage.output_tokens,
		usage.cacheRead ?? usage.cache_read_input_tokens,
		usage.cacheWrite ?? usage.cache_creation_input_tokens,
	].map(count);
	const cost = object(usage.cost).total;
	const calls = list(message.content).flatMap(({ type, name }) =>
		type === "toolCall" || type === "tool_use" ? [text(name)] : [],
	);
	return {
		...entry,
		kind: "answer",
		durationMs: count(message.durationMs ?? message.duration),
		name: shown(text(message.model)),
		text: shown(words(message.content).trim() || text(message.errorMessage) || calls.join(", ")),
		isError: message.stopReason === "error",
		tokens: counts.reduce((sum, each) => sum + each, 0),
		cost: typeof cost === "number" && cost > 0 ? cost : null,
	};
}

/** Results are written when a call has ended. */
function toolEntry(entry: TraceEntry, message: Json): TraceEntry {
	const durationMs = count(message.durationMs);
	return {
		...entry,
		kind: "tool",
		at: entry.at - durationMs,
		durationMs,
		name: shown(text(message.toolName)),
		text: shown(words(message.content)),
		isError: message.isError === true,
	};
}

function shown(value: string): string {
	return stripControls(value.slice(0, limits.traceChars)).trim();
}
