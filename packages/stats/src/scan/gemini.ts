/** Reads what sessions of Gemini CLI used: one object a file, or a line for each message. */
import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

import { namedKey, type Counter, type SessionFacts } from "../event.ts";
import { limits } from "../limits.ts";
import { priceOf } from "./prices.ts";
import { readLines } from "./read-lines.ts";
import type { ScanFile, Scanned } from "./scanner.ts";
import { count, list, object, parse, text, time, words, type Json } from "./values.ts";

export function scanGemini(scan: ScanFile, counter: Counter): Scanned {
	const reader = new GeminiScan(scan, counter);
	if (scan.path.endsWith(".jsonl")) {
		if (scan.from > 0)
			readLines(scan.file, 0, Math.min(scan.from, limits.endBytes), (bytes, start, end) =>
				reader.facts(parse(bytes.toString("utf8", start, end)) ?? {}),
			);
		const offset = readLines(scan.file, scan.from, scan.size, (bytes, start, end) => {
			const line = end - start > limits.parseBytes ? undefined : parse(bytes.toString("utf8", start, end));
			if (line) reader.line(line);
		});
		return { offset, last: reader.last, session: reader.session };
	}
	// The file is written anew with each message, and read anew; its messages have names.
	const session = scan.size > limits.objectBytes ? undefined : parse(readFileSync(scan.path, "utf8"));
	if (session) {
		reader.facts(session);
		for (const message of list(session.messages)) reader.line(message);
	}
	return { offset: 0, last: reader.last, session: reader.session };
}

class GeminiScan {
	readonly #counter: Counter;
	readonly #after: number;
	readonly #session: SessionFacts;
	last: number;

	constructor({ path, last }: ScanFile, counter: Counter) {
		this.#counter = counter;
		this.#after = this.last = last;
		// Only a hash of the directory is known, unless it is written beside.
		const project = dirname(dirname(path));
		this.#session = { id: `gemini:${basename(path)}`, source: "gemini", project: rootOf(project), agent: "" };
	}

	get session(): string {
		return this.#session.id;
	}

	facts({ sessionId, directories }: Json): void {
		if (text(sessionId) !== "") this.#session.id = `gemini:${text(sessionId)}`;
		const [first] = Array.isArray(directories) ? directories : [];
		if (text(first) !== "") this.#session.project = text(first);
	}

	line(line: Json): void {
		this.facts(line);
		if (line.type === "user" && this.#session.title === undefined) {
			const title = words(line.content).trim();
			if (title !== "") this.#session.title = title;
		}
		const tokens = object(line.tokens);
		const at = time(line.timestamp);
		if (line.type !== "gemini" || at === 0) return;
		this.#called(list(line.toolCalls), at);
		const cacheRead = count(tokens.cached);
		const input = Math.max(0, count(tokens.input) - cacheRead);
		const output = count(tokens.output) + count(tokens.thoughts);
		if (input + output + cacheRead === 0) return;
		const model = text(line.model) || "unknown";
		this.#counter.answer({
			key: namedKey(`${this.#session.id} ${text(line.id) || String(at)}`),
			at,
			session: this.#session,
			provider: "google",
			model,
			role: "turn",
			input,
			output,
			cacheRead,
			cacheWrite: 0,
			nanos: priceOf("google", model, [input, output, cacheRead, 0]),
			isEstimate: true,
			durationMs: 0,
			ttftMs: 0,
			failure: "",
			errorText: "",
			entry: "",
		});
	}

	#called(calls: readonly Json[], at: number): void {
		if (at <= this.#after) return;
		this.last = Math.max(this.last, at);
		for (const { name, status } of calls)
			if (text(name) !== "")
				this.#counter.tool({
					at,
					session: this.#session,
					tool: text(name),
					isError: status === "error",
					durationMs: 0,
				});
	}
}

function rootOf(project: string): string {
	try {
		return readFileSync(join(project, ".project_root"), "utf8").trim();
	} catch {
		// Older versions write no such file.
		return basename(project);
	}
}
