/** Parses `.env` files and fills the environment from them, with less trust in the project's file than in the user's. */
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Dirs } from "./dirs.ts";
import { dirs } from "./dirs.ts";
import { envNames } from "./env.ts";
import type { Env } from "./env.ts";
import { dotenvLimits } from "./limits.ts";
import { reasonToRefuse } from "./untrusted-env.ts";

export interface DotenvWarning {
	readonly file: string;
	/** The variable that was skipped; absent when the whole file was. */
	readonly key?: string;
	readonly message: string;
}

export interface DotenvReport {
	/** Which file gave which variable. */
	readonly sources: ReadonlyMap<string, string>;
	readonly warnings: readonly DotenvWarning[];
}

export interface DotenvOptions {
	cwd: string;
	/** Filled in place. */
	env?: Env;
	dirs?: Dirs;
}

/**
 * Fills what is not set yet, the strongest file first: project, agent directory, config root, home.
 * TAU_X, OMP_X and PI_X are one setting here: a file never gets past a stronger source by using another name,
 * and what it says under an old name is there under TAU_X as well.
 */
export function loadDotenv(options: DotenvOptions): DotenvReport {
	const target = options.env ?? process.env;
	const places = options.dirs ?? dirs(target);
	const own = [places.agent, places.config, places.home].map((dir) => resolve(dir, ".env"));
	const project = resolve(options.cwd, ".env");
	const sources = new Map<string, string>();
	const warnings: DotenvWarning[] = [];
	// Whoever starts Tau in the home or agent directory reads their own file there, not a stranger's.
	for (const file of new Set(own.includes(project) ? own : [project, ...own])) {
		const read = readBounded(file);
		if (read === undefined) continue;
		if ("problem" in read) {
			warnings.push({ file, message: read.problem });
			continue;
		}
		const values = parseDotenv(read.text);
		if (file === project && !own.includes(project)) warnings.push(...dropRefused(values, file));
		fill(target, values, file, sources);
	}
	return { sources, warnings };
}

function dropRefused(values: Record<string, string>, file: string): DotenvWarning[] {
	const warnings: DotenvWarning[] = [];
	for (const key of Object.keys(values)) {
		const reason = reasonToRefuse(key);
		if (reason === undefined) continue;
		delete values[key];
		warnings.push({ file, key, message: `${key} is not taken from a project's .env: ${reason}` });
	}
	return warnings;
}

function fill(target: Env, values: Record<string, string>, file: string, sources: Map<string, string>): void {
	const keys = Object.keys(values);
	// Asked before anything is written, so that two names of one setting in one file do not shut each other out.
	const open = keys.filter((key) => envNames(key).every((name) => target[name] === undefined));
	for (const key of open) {
		const names = envNames(key);
		const strongest = names.find((name) => values[name] !== undefined);
		for (const name of new Set([names[0] ?? key, key])) {
			const value = name === key ? values[key] : values[strongest ?? key];
			if (value === undefined) continue;
			target[name] = value;
			sources.set(name, file);
		}
	}
}

function readBounded(file: string): { text: string } | { problem: string } | undefined {
	let handle: number;
	try {
		// Without O_NONBLOCK a named pipe called .env would hang the start.
		handle = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
	} catch (error) {
		const code = error instanceof Error && "code" in error ? error.code : undefined;
		return code === "ENOENT" || code === "ENOTDIR"
			? undefined
			: { problem: `cannot be read: ${String(code ?? error)}` };
	}
	try {
		const stat = fstatSync(handle);
		if (!stat.isFile()) return { problem: "is not a regular file" };
		if (stat.size > dotenvLimits.fileBytes) {
			return { problem: `is larger than ${dotenvLimits.fileBytes} bytes and was not read` };
		}
		return { text: readFileSync(handle, "utf8") };
	} catch (error) {
		return { problem: `cannot be read: ${error instanceof Error ? error.message : String(error)}` };
	} finally {
		closeSync(handle);
	}
}

/** Lines that are not assignments are skipped; nothing is expanded, so a `$` in a key stays a `$`. */
export function parseDotenv(source: string): Record<string, string> {
	const text = source.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
	const values: Record<string, string> = Object.create(null);
	let at = 0;
	while (at < text.length) {
		const assignment = /[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_.-]*)[ \t]*=[ \t]*/y;
		assignment.lastIndex = at;
		const key = assignment.exec(text)?.[1];
		const value = key === undefined ? undefined : readValue(text, assignment.lastIndex);
		// An environment cannot hold a NUL; such a line is no assignment.
		if (key !== undefined && value !== undefined && !value.text.includes("\0")) values[key] = value.text;
		at = lineEnd(text, value?.end ?? at) + 1;
	}
	return values;
}

function readValue(text: string, start: number): { text: string; end: number } | undefined {
	const quote = text[start];
	if (quote !== '"' && quote !== "'" && quote !== "`") {
		const end = lineEnd(text, start);
		return { text: beforeComment(text.slice(start, end)), end };
	}
	const close = closingQuote(text, start);
	if (close === undefined) return undefined;
	const end = lineEnd(text, close);
	if (!/^[ \t]*(?:#|$)/.test(text.slice(close + 1, end))) return undefined;
	const inner = text.slice(start + 1, close);
	return { text: quote === '"' ? unescape(inner) : inner, end };
}

function closingQuote(text: string, start: number): number | undefined {
	const quote = text[start];
	for (let at = start + 1; at < text.length; at++) {
		if (text[at] === "\\" && quote === '"') at++;
		else if (text[at] === quote) return at;
	}
	return undefined;
}

/** A `#` inside a word belongs to the value: keys and passwords contain it. */
function beforeComment(line: string): string {
	for (let at = line.indexOf("#"); at >= 0; at = line.indexOf("#", at + 1)) {
		const before = line[at - 1];
		if (before === undefined || before === " " || before === "\t") return line.slice(0, at).trim();
	}
	return line.trim();
}

const escapes: Record<string, string> = { n: "\n", r: "\r", t: "\t", "\\": "\\", '"': '"', $: "$" };

function unescape(text: string): string {
	return text.replace(/\\(.)/g, (whole, letter: string) => escapes[letter] ?? whole);
}

function lineEnd(text: string, from: number): number {
	const end = text.indexOf("\n", from);
	return end < 0 ? text.length : end;
}
