/** Stores the prompts of each directory, so that a new session can recall those of earlier ones. */
import {
	appendFileSync,
	closeSync,
	fstatSync,
	mkdirSync,
	openSync,
	readdirSync,
	readSync,
	renameSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";

import { errorCode, isRecord, log, maskSecrets, waitForLock } from "@tau/utils";

import { limits } from "./limits.ts";
import type { PastPrompt } from "./prompt-editor.ts";

export interface PromptHistoryOptions {
	/** The directory of all history files. */
	directory: string;
	/** The directory of the current session. */
	cwd(): string;
	/** The current session, by which its prompts are found again. */
	session?(): PastPrompt["session"];
}

export class PromptHistory {
	readonly #directory: string;
	readonly #cwd: () => string;
	readonly #session: () => PastPrompt["session"];

	constructor({ directory, cwd, session = () => undefined }: PromptHistoryOptions) {
		this.#directory = directory;
		this.#cwd = cwd;
		this.#session = session;
	}

	/** Secrets are masked before the text is stored; what is too long to be typed again is not stored. */
	add(text: string, at: number = Date.now()): void {
		const prompt = maskSecrets(text.trim());
		if (prompt === "" || prompt.length > limits.storedPromptChars) return;
		const line = `${JSON.stringify({ at, cwd: this.#cwd(), session: this.#session(), text: prompt })}\n`;
		const path = this.#path;
		try {
			mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
			// Another process may be shortening the file: without the lock, this line would be lost with the old file.
			using _ = waitForLock(path);
			const end = endOf(path, limits.historyBytes);
			// A line that a crash tore must not take this one with it.
			const added = end.bytes > 0 && !end.text.endsWith("\n") ? `\n${line}` : line;
			const isShort = end.bytes + Buffer.byteLength(added) <= limits.historyBytes;
			if (isShort) appendFileSync(path, added, { mode: 0o600 });
			else shorten(path, end.text, added);
		} catch (error) {
			log.warn("cannot store a prompt in the history", { path, reason: String(error) });
		}
	}

	/** The prompts of this directory, the newest first, each once. */
	ofProject(): PastPrompt[] {
		return newestOf(promptsIn(this.#path));
	}

	/** The prompts of the directories that were used last, the newest first, each once. */
	ofAll(): PastPrompt[] {
		return newestOf(this.#paths().flatMap(promptsIn)).slice(0, limits.pastPrompts);
	}

	get #path(): string {
		return join(this.#directory, `${Bun.hash(this.#cwd()).toString(36)}.jsonl`);
	}

	#paths(): string[] {
		try {
			const paths = readdirSync(this.#directory)
				.filter((name) => name.endsWith(".jsonl"))
				.map((name) => join(this.#directory, name));
			const changed = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
			return paths
				.map((path) => ({ path, at: changed(path) }))
				.toSorted((a, b) => b.at - a.at)
				.slice(0, limits.historyFiles)
				.map(({ path }) => path);
		} catch (error) {
			if (errorCode(error) !== "ENOENT")
				log.warn("cannot list the history", { directory: this.#directory, reason: String(error) });
			return [];
		}
	}
}

/** Keeps the newer half, so that not every prompt rewrites the file. */
function shorten(path: string, end: string, line: string): void {
	const kept = end.slice(-limits.historyBytes / 2);
	const temporary = `${path}.${process.pid}.tmp`;
	writeFileSync(temporary, kept.slice(kept.indexOf("\n") + 1) + line, { mode: 0o600 });
	renameSync(temporary, path);
}

/** The newest first. */
function promptsIn(path: string): PastPrompt[] {
	try {
		return named(endOf(path, limits.historyBytes).text.split("\n").flatMap(promptIn).toReversed());
	} catch (error) {
		log.warn("cannot read the history", { path, reason: String(error) });
		return [];
	}
}

/** A session gets its name after its first prompts, which have it, too. */
function named(newestFirst: readonly PastPrompt[]): PastPrompt[] {
	const names = new Map<string, string>();
	for (const { session } of newestFirst)
		if (session?.name !== undefined && !names.has(session.id)) names.set(session.id, session.name);
	return newestFirst.map((prompt) => {
		const name = prompt.session && names.get(prompt.session.id);
		return prompt.session && name !== undefined
			? { ...prompt, session: { id: prompt.session.id, name } }
			: prompt;
	});
}

/** A line that a crash tore is none. */
function promptIn(line: string): PastPrompt[] {
	if (line === "") return [];
	try {
		const value: unknown = JSON.parse(line);
		if (!isRecord(value) || typeof value.text !== "string" || typeof value.at !== "number") return [];
		const { text, at, cwd, session } = value;
		return [{ text, at, ...(typeof cwd === "string" ? { cwd } : {}), ...sessionIn(session) }];
	} catch {
		return [];
	}
}

function sessionIn(value: unknown): Pick<PastPrompt, "session"> {
	if (!isRecord(value) || typeof value.id !== "string") return {};
	const { id, name } = value;
	return { session: { id, ...(typeof name === "string" ? { name } : {}) } };
}

/** Each text once, the newest first. */
export function newestOf(prompts: readonly PastPrompt[]): PastPrompt[] {
	const newest = new Map<string, PastPrompt>();
	for (const prompt of prompts.toSorted((a, b) => b.at - a.at))
		if (!newest.has(prompt.text)) newest.set(prompt.text, prompt);
	return [...newest.values()];
}

function endOf(path: string, most: number): { text: string; bytes: number } {
	let file: number;
	try {
		file = openSync(path, "r");
	} catch (error) {
		if (errorCode(error) === "ENOENT") return { text: "", bytes: 0 };
		throw error;
	}
	try {
		const bytes = fstatSync(file).size;
		const buffer = Buffer.alloc(Math.min(bytes, most));
		const read = readSync(file, buffer, 0, buffer.length, bytes - buffer.length);
		return { text: buffer.toString("utf8", 0, read), bytes };
	} finally {
		closeSync(file);
	}
}
