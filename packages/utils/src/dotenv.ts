/**
 * Parses `.env` files and fills the environment: from the user's files completely, from a project's only the allowed
 * variables.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Dirs } from "./dirs.ts";
import { dirs } from "./dirs.ts";
import { envNames } from "./env.ts";
import type { Env } from "./env.ts";
import { dotenvLimits } from "./limits.ts";

export interface DotenvWarning {
	readonly file: string;
	readonly message: string;
}

export interface DotenvReport {
	/** Maps each variable to the file that set it. */
	readonly sources: ReadonlyMap<string, string>;
	readonly warnings: readonly DotenvWarning[];
}

export interface DotenvOptions {
	/** This environment is filled in place. */
	env?: Env;
	dirs?: Dirs;
}

/** The `.env` of a project, which may be untrusted: reading it sets nothing. */
export interface ProjectDotenv {
	readonly file: string;
	readonly values: Readonly<Record<string, string>>;
	/** Why the file was not read; then there are no values. */
	readonly problem?: string;
}

/** The variables that `.env` files have added to an environment, by name. */
const additions = new WeakMap<Env, Map<string, string>>();

/** Fills unset variables from the user's own files, the strongest first: agent directory, config root, home. */
export function loadDotenv(options: DotenvOptions = {}): DotenvReport {
	const target = options.env ?? process.env;
	const sources = new Map<string, string>();
	const warnings: DotenvWarning[] = [];
	for (const file of ownFiles(options.dirs ?? dirs(target))) {
		const read = readBounded(file);
		if (read === undefined) continue;
		if ("problem" in read) {
			warnings.push({ file, message: read.problem });
			continue;
		}
		for (const name of fill(target, parseDotenv(read.text), isUnset)) sources.set(name, file);
	}
	return { sources, warnings };
}

/** Undefined if the file does not exist, or is one of the user's own, which `loadDotenv` reads. */
export function readProjectDotenv(cwd: string, options: DotenvOptions = {}): ProjectDotenv | undefined {
	const file = resolve(cwd, ".env");
	if (ownFiles(options.dirs ?? dirs(options.env ?? process.env)).has(file)) return undefined;
	const read = readBounded(file);
	if (read === undefined) return undefined;
	return "problem" in read
		? { file, values: {}, problem: read.problem }
		: { file, values: parseDotenv(read.text) };
}

/**
 * Sets the named variables of a project's file. The environment that Tau was started with is stronger than the project,
 * the project is stronger than the user's files.
 */
export function addFromProject(
	{ values }: ProjectDotenv,
	names: readonly string[],
	target: Env = process.env,
): void {
	const chosen = Object.fromEntries(
		names.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])),
	);
	fill(target, chosen, (env, name) => isUnset(env, name) || isFromFile(env, name));
}

/** The environment as it was before any `.env` file added to it, for commands that the model runs. */
export function withoutDotenv(env: Env = process.env): Env {
	return Object.fromEntries(Object.entries(env).filter(([name]) => !isFromFile(env, name)));
}

/** True if a `.env` file set the variable, and its value has not changed since. */
export function isFromFile(env: Env, name: string): boolean {
	const added = additions.get(env)?.get(name);
	return added !== undefined && added === env[name];
}

function isUnset(env: Env, name: string): boolean {
	return env[name] === undefined;
}

function ownFiles({ agent, config, home }: Dirs): Set<string> {
	return new Set([agent, config, home].map((dir) => resolve(dir, ".env")));
}

/**
 * TAU_X, OMP_X and PI_X are one setting: a file never overrides a stronger source through another name, and a value
 * under an old name is available under TAU_X as well. Returns the names that were set.
 */
function fill(
	target: Env,
	values: Record<string, string>,
	isOpen: (env: Env, name: string) => boolean,
): string[] {
	const added = additions.get(target) ?? new Map<string, string>();
	additions.set(target, added);
	// The open names are collected before anything is written, so that two names of one setting in one file do not
	// exclude each other.
	const open = Object.keys(values).filter((key) => envNames(key).every((name) => isOpen(target, name)));
	const set: string[] = [];
	for (const key of open) {
		const names = envNames(key);
		const strongest = names.find((name) => values[name] !== undefined);
		for (const name of new Set([names[0] ?? key, key])) {
			const value = name === key ? values[key] : values[strongest ?? key];
			if (value === undefined) continue;
			target[name] = value;
			added.set(name, value);
			set.push(name);
		}
	}
	return set;
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
		// An environment cannot hold a NUL; such a line is not an assignment.
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
