/** Starts git for the whole program: only where that is allowed, with a clean environment, and within bounds. */
import { dirname } from "node:path";

import { cutUnits, type Env, hostProgram, listen, maskSecrets, stripControls } from "@tau/utils";

import { limits } from "../limits.ts";
import { runProgram } from "../shell/index.ts";
import { gitEnvironment } from "./environment.ts";
import { guardedArguments } from "./guards.ts";
import { programSettings, programsIn, runsPrograms, withoutPrograms } from "./project-programs.ts";
import { findRepository } from "./repository.ts";

export type GitPlace =
	/**
	 * A repository that a stranger may have prepared. Git runs at its root, offline, and only if the user trusts it:
	 * filters in its configuration are programs, and git has no switch against them. Its hooks run only by `hooks`.
	 */
	| { kind: "project"; isTrusted: boolean; hooks?: boolean }
	/** A directory that Tau made, to download into. `outside` ignores any repository around it. */
	| { kind: "transfer"; outside?: boolean };

export interface GitRequest {
	where: GitPlace;
	/** The subcommand and its arguments. Paths are relative to the root of the repository, and literal. */
	args: readonly [command: string, ...rest: string[]];
	cwd: string;
	/** The environment is reduced to what git needs. */
	env: Env;
	timeoutMs: number;
	maxBytes: number;
	/** The complete standard input. */
	input?: string | Uint8Array | undefined;
	/** The path of an index to use instead of the repository's own. */
	indexFile?: string | undefined;
	/** The output is a string of bytes, because names and contents need not be text. */
	isBytes?: boolean | undefined;
	signal?: AbortSignal | undefined;
}

export type GitFailure =
	"untrusted" | "no-repository" | "not-installed" | "failed" | "too-large" | "timeout" | "aborted";

export type GitOutcome = { ok: true; output: string } | { ok: false; reason: GitFailure; message: string };

/** The only function that starts git; `test/architecture/checks/git.ts` fails for any other. Never rejects. */
export async function runGit(request: GitRequest): Promise<GitOutcome> {
	const { where, signal } = request;
	if (where.kind === "project" && !where.isTrusted)
		return failure("untrusted", "git does not run in a project that is not trusted");
	const repository = where.kind === "project" ? await findRepository(request.cwd) : undefined;
	if (where.kind === "project" && !repository)
		return failure("no-repository", `${request.cwd} is not in a git repository`);
	const env = environmentOf(request);
	const program = hostProgram("git", env.PATH ?? "");
	if (program === undefined) return failure("not-installed", "git is not installed, or not on PATH");
	if (signal?.aborted) return failure("aborted", "git was interrupted");
	const root = repository?.root;
	if (root === undefined)
		return execute(request, [program, ...guardedArguments(where, request.args)], request.cwd, env);
	const guarded = await disarmed(request, { program, root, env });
	if (!guarded.ok) return guarded;
	const args = guardedArguments({ ...where, settings: guarded.settings }, request.args);
	return execute(request, [program, ...args], root, env);
}

interface Found {
	readonly program: string;
	readonly root: string;
	readonly env: Record<string, string>;
}

/** Programs of the project that its settings name do not run: see project-programs.ts. */
async function disarmed(
	{ where, args, signal, env: full, timeoutMs: most }: GitRequest,
	{ program, root, env }: Found,
): Promise<{ ok: true; settings: readonly string[] } | (GitOutcome & { ok: false })> {
	const [command] = args;
	if (!runsPrograms(args)) return { ok: true, settings: [] };
	const list = guardedArguments(where, ["config", "--null", "--get-regexp", programSettings]);
	const timeoutMs = Math.min(limits.gitSettingsMs, most);
	const request = { where, cwd: root, env: full, signal, timeoutMs } as const;
	const found = await execute(
		{ ...request, args: ["config"], maxBytes: limits.gitSettingsBytes },
		[program, ...list],
		root,
		env,
	);
	// Without a match it fails and prints nothing. What was not read to its end may name any program.
	if (!found.ok && found.reason !== "failed") return found;
	const allowed = withoutPrograms(command, found.ok ? programsIn(found.output, root, env.HOME) : []);
	return allowed.ok ? allowed : { ...allowed, reason: "failed" };
}

function environmentOf({ where, cwd, env, indexFile }: GitRequest): Record<string, string> {
	if (where.kind === "project")
		return {
			...gitEnvironment(env, "local"),
			...(indexFile === undefined ? {} : { GIT_INDEX_FILE: indexFile }),
		};
	return {
		...gitEnvironment(env, "network"),
		// A download into a subdirectory of a project must not use the project's configuration.
		GIT_CEILING_DIRECTORIES: dirname(cwd),
		...(where.outside === true ? { GIT_DIR: "/dev/null" } : {}),
	};
}

async function execute(
	{ timeoutMs, maxBytes, signal, input = "", isBytes = false }: GitRequest,
	command: [string, ...string[]],
	cwd: string,
	env: Record<string, string>,
): Promise<GitOutcome> {
	const stop = new AbortController();
	using _abort = signal ? listen(signal, "abort", () => stop.abort()) : undefined;
	const output = new BoundedOutput(maxBytes, () => stop.abort());
	const errors = new BoundedOutput(limits.gitErrorBytes);
	try {
		const { exitCode, stopped } = await runProgram({
			command,
			cwd,
			env,
			input,
			timeoutMs,
			signal: stop.signal,
			onOutput: (chunk) => output.add(chunk),
			onError: (chunk) => errors.add(chunk),
		});
		if (signal?.aborted) return failure("aborted", "git was interrupted");
		if (output.isFull) return failure("too-large", `git printed more than ${maxBytes} bytes`);
		if (stopped === "timeout") return failure("timeout", `git did not finish within ${timeoutMs / 1000} s`);
		if (exitCode === 0) return { ok: true, output: isBytes ? output.bytes : output.text };
		return failure("failed", readable(errors.text || output.text) || `git exited with code ${exitCode}`);
	} catch (error) {
		return failure("failed", error instanceof Error ? error.message : String(error));
	}
}

function failure(reason: GitFailure, message: string): GitOutcome {
	return { ok: false, reason, message };
}

/** Git's output may contain untrusted text, and URLs with passwords. */
function readable(text: string): string {
	return cutUnits(stripControls(maskSecrets(text)).trim(), limits.gitMessageChars);
}

/** Keeps the beginning of an output. */
class BoundedOutput {
	readonly #maxBytes: number;
	readonly #onFull: (() => void) | undefined;
	readonly #chunks: Uint8Array[] = [];
	#bytes = 0;
	isFull = false;

	constructor(maxBytes: number, onFull?: () => void) {
		this.#maxBytes = maxBytes;
		this.#onFull = onFull;
	}

	/** One character for each byte. */
	get bytes(): string {
		return Buffer.concat(this.#chunks).toString("latin1");
	}

	get text(): string {
		return new TextDecoder().decode(Buffer.concat(this.#chunks));
	}

	add(chunk: Uint8Array): void {
		if (this.isFull) return;
		const room = this.#maxBytes - this.#bytes;
		// The chunk is only valid during the call.
		this.#chunks.push(Uint8Array.from(chunk.subarray(0, room)));
		this.#bytes += Math.min(chunk.length, room);
		if (chunk.length <= room) return;
		this.isFull = true;
		this.#onFull?.();
	}
}
