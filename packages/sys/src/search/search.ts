/** Runs one search with ripgrep and emits its results while it runs. */
import { isAbsolute, relative, resolve, sep } from "node:path";

import { listen, withTimeout } from "@tau/utils";

import { commandEnvironment, ownedEnvironment } from "../shell/index.ts";
import { checkUnlinked, compileGlob, GlobError, isOpenedPath, type PathMatcher } from "../walk/index.ts";
import { decodeText, foundLines } from "./matched-lines.ts";
import { adaptLineEnds } from "./line-ends.ts";
import { limits } from "./limits.ts";
import { readPatternError } from "./pattern-error.ts";
import { RecordReader, type RipgrepRecord } from "./records.ts";
import { ripgrepPath, RipgrepMissing } from "./ripgrep.ts";
import { ShownLines } from "./shown-lines.ts";
import type { SearchEvent, SearchOptions, SearchOutcome } from "./types.ts";

/** A listener may return a promise: a slow listener slows the search down, and no events pile up. */
export type OnSearchEvent = (event: SearchEvent) => void | Promise<void>;

/**
 * Files come in no particular order, the lines of each in order. Rejects only when `on` does; ripgrep has exited when
 * the promise settles.
 */
export async function search(options: SearchOptions, on: OnSearchEvent): Promise<SearchOutcome> {
	return await searchWith(startHere, options, on);
}

/** The same for paths without links: what a path leads to after it has become a link is not shown. */
export async function searchUnlinked(options: SearchOptions, on: OnSearchEvent): Promise<SearchOutcome> {
	using shown = new ShownLines();
	const outcome = await searchWith(startHere, options, on, shown);
	if (!outcome.ok) return outcome;
	const { ownPath } = options;
	return { ...outcome, problems: outcome.problems.filter((text) => isAboutUnlinked(text, ownPath)) };
}

/** Complaints begin with the path that they are about. */
function isAboutUnlinked(complaint: string, ownPath: SearchOptions["ownPath"]): boolean {
	const path = complaint.slice(0, complaint.indexOf(": "));
	try {
		checkUnlinked(ownPath?.(path) ?? path);
		return true;
	} catch {
		return false;
	}
}

/** A ripgrep that has been started. `kill` may be called after its end. */
export interface RunningSearch {
	readonly output: AsyncIterable<Uint8Array>;
	/** Resolves with the start of what it complained about, when it has ended. */
	readonly complaints: Promise<string>;
	kill(): void;
}

/** Starts ripgrep with arguments; rejects with `RipgrepMissing`, or with a readable reason. */
export type StartSearch = (args: readonly string[], cwd: string) => Promise<RunningSearch>;

/** The same with a ripgrep that is started elsewhere. */
export async function searchWith(
	start: StartSearch,
	options: SearchOptions,
	on: OnSearchEvent,
	shown?: ShownLines,
): Promise<SearchOutcome> {
	try {
		const { ownPath } = options;
		const report = { isWanted: fileFilter(options), on, shown, ownPath };
		if (options.signal?.aborted) return { ok: true, matches: 0, files: 0, stopped: "abort", problems: [] };
		const refused = refusal(options);
		if (refused) return refused;
		const adapted = adaptLineEnds(options.pattern, options.literal === true);
		const outcome = await run(start, { ...options, ...adapted }, report);
		// The message about a wrong pattern has to show the one that the caller wrote.
		const isOther = adapted.pattern !== options.pattern && !outcome.ok && outcome.reason === "pattern";
		return isOther ? await run(start, { ...options, crlf: false }, report) : outcome;
	} catch (error) {
		if (error instanceof GlobError) return { ok: false, reason: "option", message: error.message };
		if (error instanceof RipgrepMissing) return { ok: false, reason: "missing", message: error.message };
		throw error;
	}
}

function refusal({ pattern }: SearchOptions): SearchOutcome | undefined {
	const reason = "pattern";
	if (pattern.includes("\0")) {
		return { ok: false, reason, message: "it contains a NUL; write \\x00", at: pattern.indexOf("\0") };
	}
	if (pattern.length <= limits.patternChars) return undefined;
	return { ok: false, reason, message: `it is longer than ${limits.patternChars} characters` };
}

type AdaptedOptions = SearchOptions & { crlf: boolean };

async function run(start: StartSearch, options: AdaptedOptions, report: Report): Promise<SearchOutcome> {
	using deadline = withTimeout(options.signal, options.timeoutMs ?? limits.timeoutMs, "The search timed out");
	let running: RunningSearch;
	try {
		running = await start(ripgrepArguments(options), options.cwd);
	} catch (error) {
		if (error instanceof RipgrepMissing) throw error;
		return { ok: false, reason: "failed", message: error instanceof Error ? error.message : String(error) };
	}
	const kill = (): void => running.kill();
	if (deadline.signal.aborted) kill();
	using _listener = listen(deadline.signal, "abort", kill);
	const reporter = new SearchReporter(options, report);
	let stderr = "";
	try {
		await reporter.emitAll(running.output);
	} finally {
		kill();
		stderr = await running.complaints;
	}
	const { matches, files, isComplete, reachedLimit } = reporter;
	const stopped = options.signal?.aborted
		? "abort"
		: deadline.signal.aborted
			? "timeout"
			: reachedLimit
				? "limit"
				: undefined;
	if (!stopped && !isComplete) return failure(stderr, options);
	return { ok: true, matches, files, problems: problemsIn(stderr), ...(stopped ? { stopped } : {}) };
}

async function startHere(args: readonly string[], cwd: string): Promise<RunningSearch> {
	const program = await ripgrepPath();
	try {
		const child = Bun.spawn([program, ...args], {
			cwd: isOpenedPath(cwd) ? "/" : cwd,
			env: ownedEnvironment(commandEnvironment(process.env)).env,
			stdin: "ignore",
			stdout: "pipe",
			stderr: "pipe",
		});
		const complaints = readStart(child.stderr);
		return {
			output: child.stdout,
			complaints: child.exited.then(() => complaints),
			kill: () => child.kill("SIGKILL"),
		};
	} catch (error) {
		throw new Error(`Cannot start ripgrep: ${error instanceof Error ? error.message : String(error)}`, {
			cause: error,
		});
	}
}

interface Report {
	isWanted(path: string): boolean;
	readonly on: OnSearchEvent;
	/** Checks each match; absent where the caller does not need that. */
	readonly shown: ShownLines | undefined;
	readonly ownPath: SearchOptions["ownPath"];
}

/** Emits events, counts matches, and stops at the limit. */
class SearchReporter {
	matches = 0;
	files = 0;
	/** True when ripgrep finished by itself. */
	isComplete = false;
	reachedLimit = false;
	#inFile = 0;
	readonly #maxMatches: number;
	readonly #lineChars: number;
	readonly #report: Report;

	constructor(options: SearchOptions, report: Report) {
		this.#maxMatches = options.maxMatches ?? Number.POSITIVE_INFINITY;
		this.#lineChars = options.lineChars ?? limits.lineChars;
		this.#report = report;
	}

	async emitAll(output: AsyncIterable<Uint8Array>): Promise<void> {
		const reader = new RecordReader();
		for await (const chunk of output) {
			for (const record of reader.push(chunk)) {
				const emitted = this.#emit(record);
				if (emitted) await emitted;
				if (this.reachedLimit) return;
			}
		}
	}

	#emit(record: RipgrepRecord): void | Promise<void> {
		if (record.type === "summary") this.isComplete = true;
		if (record.type === "begin" || record.type === "summary") return;
		const path = decodeText(record.data.path);
		const { isWanted, on, shown, ownPath } = this.#report;
		if (!isWanted(path)) return;
		if (record.type === "end") {
			const matches = this.#inFile;
			this.#inFile = 0;
			if (matches === 0) return;
			return on({ type: "end", path, matches, isBinary: record.data.binary_offset !== null });
		}
		const { lines, absolute_offset: offset } = record.data;
		if (shown && !shown.has(ownPath?.(path) ?? path, { lines, offset })) return;
		if (record.type === "match") {
			if (this.matches >= this.#maxMatches) {
				this.reachedLimit = true;
				return;
			}
			this.matches++;
			if (this.#inFile++ === 0) this.files++;
		}
		return on({ type: record.type, path, lines: foundLines(record.data, this.#lineChars) });
	}
}

/** A glob is compared with the path relative to the working directory and relative to the searched directory. */
function fileFilter({ globs = [], cwd, paths }: SearchOptions): (path: string) => boolean {
	if (globs.length === 0) return () => true;
	const matchers = globs.map((glob): [PathMatcher, boolean] => [compileGlob(glob), glob.startsWith("!")]);
	const roots = [cwd, ...paths.map((path) => resolve(cwd, path))];
	return (path) => {
		const absolute = resolve(cwd, path);
		// A file that is named explicitly is searched, whatever the glob.
		if (roots.includes(absolute)) return true;
		const below = roots.map((root) => relative(root, absolute).split(sep).join("/"));
		const inside = below.filter((own) => !own.startsWith("../") && !isAbsolute(own));
		return matchers.every(([matches, negated]) =>
			negated ? inside.every((own) => matches(own)) : inside.some((own) => matches(own)),
		);
	};
}

/** The start is enough; the rest is read too, because ripgrep would block on a full pipe. */
async function readStart(stream: ReadableStream<Uint8Array>): Promise<string> {
	const decoder = new TextDecoder();
	let text = "";
	for await (const chunk of stream) {
		if (text.length < limits.errorBytes) text += decoder.decode(chunk, { stream: true });
	}
	return text.slice(0, limits.errorBytes);
}

function failure(stderr: string, { pattern }: SearchOptions): SearchOutcome {
	const wrong = readPatternError(stderr, pattern);
	if (wrong) return { ok: false, reason: "pattern", ...wrong };
	const type = /unrecognized file type: (.+)/.exec(stderr)?.[1];
	if (type !== undefined) return { ok: false, reason: "option", message: `Unknown file type ${type}.` };
	const message = stderr.replace(/^rg: /, "").trim().split("\n")[0];
	return { ok: false, reason: "failed", message: message || "ripgrep ended without a result" };
}

function problemsIn(stderr: string): string[] {
	const lines = stderr.split("\n").filter((line) => line.trim() !== "");
	return lines.slice(0, limits.problems).map((line) => line.replace(/^rg: /, ""));
}

/** The name of the file type that represents a glob. */
const globType = "tauglob";

function ripgrepArguments(options: AdaptedOptions): string[] {
	const { hidden = true, gitignore = true, nodeModules = true, types = [], globs = [] } = options;
	const args = ["--json", "--no-config", options.ignoreCase ? "--ignore-case" : "--case-sensitive"];
	// They would show lines of what a `.gitignore` leads to.
	args.push("--no-ignore-messages");
	// Patterns that the default engine does not support (lookaround, backreferences) use the other one.
	args.push(options.literal ? "--fixed-strings" : "--engine=auto");
	if (options.crlf) args.push("--crlf");
	if (options.multiline) args.push("--multiline", "--multiline-dotall");
	if (options.before) args.push(`--before-context=${options.before}`);
	if (options.after) args.push(`--after-context=${options.after}`);
	if (options.maxPerFile) args.push(`--max-count=${options.maxPerFile}`);
	if (hidden) args.push("--hidden", "--glob=!.git");
	if (!gitignore) args.push("--no-ignore");
	if (!nodeModules) args.push("--glob=!node_modules");
	args.push(...types.map((type) => `--type=${type}`));
	const name = types.length === 0 ? nameFilter(globs) : undefined;
	if (name !== undefined) args.push(`--type-add=${globType}:${name}`, `--type=${globType}`);
	return [...args, `--regexp=${options.pattern}`, "--", ...options.paths];
}

/**
 * Ripgrep's own globs override ignore files: `*.log` would find ignored files. File types do not, but know only the
 * last name. So a plain last name becomes a type, which avoids reading the other files, and every file with a match
 * is compared with the whole glob afterwards.
 */
function nameFilter(globs: readonly string[]): string | undefined {
	for (const glob of globs) {
		if (glob.startsWith("!") || glob.endsWith("/")) continue;
		const name = glob.slice(glob.lastIndexOf("/") + 1);
		const isPlain = /^[\w.*-]*(?:\{[\w.-]+(?:,[\w.-]+)*\})?$/.test(name) && !/^\**$/.test(name);
		// A brace that was opened before the last slash continues in the name.
		if (isPlain && !glob.slice(0, glob.length - name.length).includes("{")) return name;
	}
	return undefined;
}
