/** The user's own functions and aliases, as a script for a non-interactive shell; not those of programs that are judged by name. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { shortId } from "@tau/utils";

import { limits } from "../limits.ts";
import capture from "./capture.sh" with { type: "text" };
import { ownRoom } from "./pipe-room.ts";
import { shellQuote } from "./quote.ts";
import { runShell } from "./run.ts";

export interface RcOptions {
	env: Record<string, string>;
	/** Where the script is cached for the next program; without it, this program creates it once. */
	cacheDir?: string;
}

const cacheName = /^bashrc-[0-9a-z]+\.sh$/;
const captured = new Map<string, Promise<string>>();

/**
 * Reads `~/.bashrc` as an interactive bash does. Never rejects: a file that fails, exits, waits for input or takes
 * too long gives an empty script, and its output is discarded.
 */
export async function rcSnapshot({ env, cacheDir }: RcOptions): Promise<string> {
	const rc = join(env.HOME ?? "/", ".bashrc");
	const info = statSync(rc, { throwIfNoEntry: false });
	if (!info?.isFile()) return "";
	// Loaded with the judge of commands, mostly: no start needs it.
	const { closedPrograms } = await import("../commands/table/closed.ts");
	const judged = closedPrograms().join(" ");
	const key = Bun.hash(`${judged}\0${rc}\0${info.mtimeMs}\0${info.size}\0${env.PATH ?? ""}`).toString(36);
	const pending = captured.get(key);
	if (pending) return pending;
	const script = cached(cacheDir, key) ?? captureRc(rc, { ...env, TAU_JUDGED: judged });
	const result = Promise.resolve(script).catch(() => "");
	captured.set(key, result);
	if (cacheDir !== undefined && typeof script !== "string") cache(cacheDir, key, await result);
	return result;
}

async function captureRc(rc: string, env: Record<string, string>): Promise<string> {
	const path = join(ownRoom.path, `${shortId()}.rc`);
	try {
		const { exitCode } = await runShell({
			command: `exec bash --rcfile ${shellQuote(rc)} -i -c ${shellQuote(capture)}`,
			cwd: env.HOME ?? "/",
			env: { ...env, HISTFILE: "/dev/null", TAU_CAPTURE: path },
			timeoutMs: limits.snapshotMs,
			signal: new AbortController().signal,
			onOutput: () => {},
		});
		return exitCode === 0 && existsSync(path) ? readFileSync(path, "utf8") : "";
	} finally {
		rmSync(path, { force: true });
	}
}

function cached(directory: string | undefined, key: string): string | undefined {
	if (directory === undefined) return undefined;
	const path = join(directory, `bashrc-${key}.sh`);
	const info = statSync(path, { throwIfNoEntry: false });
	if (!info || Date.now() - info.mtimeMs > limits.snapshotAgeMs) return undefined;
	return readFileSync(path, "utf8");
}

/**
 * Caches the script. The cached script of a changed file is removed, and an empty script is not cached, so that it is
 * tried again.
 */
function cache(directory: string, key: string, script: string): void {
	if (script === "") return;
	try {
		mkdirSync(directory, { recursive: true, mode: 0o700 });
		for (const name of readdirSync(directory)) if (cacheName.test(name)) rmSync(join(directory, name));
		writeFileSync(join(directory, `bashrc-${key}.sh`), script, { mode: 0o600 });
	} catch {
		// The disk is full or not writable: the next program creates the snapshot again.
	}
}
