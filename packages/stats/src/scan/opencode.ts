/** Reads what sessions of opencode used: a file for each message, or a database with a row for each. */
import { Database } from "bun:sqlite";
import { readFileSync } from "node:fs";

import { namedKey, type Counter, type SessionFacts } from "../event.ts";
import { limits } from "../limits.ts";
import { priceOf } from "./prices.ts";
import type { ScanFile, Scanned } from "./scanner.ts";
import { amount, count, object, parse, text, time, type Json } from "./values.ts";

/** `storage/message/<session>/<id>.json`; the session itself is in `storage/session/<project>/<session>.json`. */
export function scanOpencodeMessage({ path, size, last }: ScanFile, counter: Counter): Scanned {
	const message = size > limits.parseBytes ? undefined : parse(readFileSync(path, "utf8"));
	if (message) answered(message, "", counter);
	return { offset: 0, last };
}

/** Rows that have changed since the last scan. */
export function scanOpencodeDatabase({ path, last }: ScanFile, counter: Counter): Scanned {
	using database = new Database(path, { readonly: true });
	database.run(`PRAGMA busy_timeout = ${limits.busyMs}`);
	const rows = database.query<
		{
			id: string;
			session: string;
			updated: number;
			data: string;
			title: string;
			directory: string;
			parent: string | null;
		},
		[number]
	>(
		[
			"SELECT message.id, message.session_id AS session, message.time_updated AS updated, message.data,",
			"session.title, session.directory, session.parent_id AS parent",
			"FROM message JOIN session ON session.id = message.session_id WHERE message.time_updated >= ?",
		].join(" "),
	);
	let newest = last;
	for (const { id, session, updated, data, title, directory, parent } of rows.iterate(last)) {
		newest = Math.max(newest, updated);
		const message = parse(data);
		if (!message) continue;
		const facts = { id, sessionID: session, path: { cwd: directory }, ...message };
		answered(facts, title, counter, parent === null || parent === "" ? "" : "agent");
	}
	const tools = toolCalls(database, last, counter);
	return { offset: 0, last: Math.max(newest, tools) };
}

/** Parts have the calls of tools. */
function toolCalls(database: Database, last: number, counter: Counter): number {
	const rows = database.query<
		{ session: string; updated: number; data: string; directory: string },
		[number]
	>(
		[
			"SELECT part.session_id AS session, part.time_updated AS updated, part.data, session.directory",
			"FROM part JOIN session ON session.id = part.session_id",
			`WHERE part.time_updated > ? AND part.data LIKE '{"type":"tool"%'`,
		].join(" "),
	);
	let newest = last;
	for (const { session: id, updated, data, directory } of rows.iterate(last)) {
		const part = parse(data);
		const { status, time: times } = object(part?.state);
		if (!part || (status !== "completed" && status !== "error")) continue;
		newest = Math.max(newest, updated);
		const { start, end } = object(times);
		const session: SessionFacts = { id: `opencode:${id}`, source: "opencode", project: directory, agent: "" };
		const durationMs = Math.max(0, time(end) - time(start));
		counter.tool({ at: updated, session, tool: text(part.tool), isError: status === "error", durationMs });
	}
	return newest;
}

function answered(message: Json, title: string, counter: Counter, agent = ""): void {
	const times = object(message.time);
	const at = time(times.created);
	// An answer that has not ended has no counts yet.
	if (message.role !== "assistant" || at === 0 || time(times.completed) === 0) return;
	const tokens = object(message.tokens);
	const cache = object(tokens.cache);
	const [input, output] = [count(tokens.input), count(tokens.output) + count(tokens.reasoning)];
	const [cacheRead, cacheWrite] = [count(cache.read), count(cache.write)];
	const provider = text(message.providerID) || "unknown";
	const model = text(message.modelID) || "unknown";
	const cost = amount(message.cost);
	const paid = cost > 0 ? [0, 0, 0, 0, cost] : undefined;
	const failure = text(object(message.error).name);
	counter.answer({
		key: namedKey(`opencode ${text(message.id)}`),
		at,
		session: {
			id: `opencode:${text(message.sessionID)}`,
			source: "opencode",
			project: text(object(message.path).cwd),
			agent,
			...(title === "" ? {} : { title }),
		},
		provider,
		model,
		role: message.summary === true ? "compaction" : "turn",
		input,
		output,
		cacheRead,
		cacheWrite,
		nanos: paid ?? priceOf(provider, model, [input, output, cacheRead, cacheWrite]),
		isEstimate: paid === undefined,
		durationMs: Math.max(0, time(times.completed) - at),
		ttftMs: 0,
		failure: failure === "MessageAbortedError" ? "aborted" : failure,
		errorText: text(object(object(message.error).data).message),
		entry: text(message.id),
	});
}
