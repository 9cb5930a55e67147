/** Git as the fleet uses it: failures are errors that name the command and what git said. */
import { runGit, type GitPlace } from "@tau/sys";
import type { Env } from "@tau/utils";

import { limits } from "../limits.ts";

export interface GitContext {
	readonly cwd: string;
	readonly env: Env;
	readonly signal: AbortSignal;
	/** A bare repository, which git uses only where it is named. */
	readonly bare?: string;
}

export interface GitExtras {
	readonly input?: string | Uint8Array;
	readonly indexFile?: string;
	readonly isBytes?: boolean;
	readonly maxBytes?: number;
}

export class GitError extends Error {
	override readonly name = "GitError";
}

/** The kind of place is `transfer` for directories that Tau made and that no model can write to. */
export async function git(
	{ cwd, env, signal, bare }: GitContext,
	args: readonly [string, ...string[]],
	extras: GitExtras = {},
	where: GitPlace = { kind: "transfer" },
): Promise<string> {
	const { maxBytes = limits.gitOutputBytes, ...rest } = extras;
	const whole: [string, ...string[]] = bare === undefined ? [...args] : [`--git-dir=${bare}`, ...args];
	const request = { where, cwd, env, signal, args: whole, timeoutMs: limits.gitMs, maxBytes };
	const outcome = await runGit({ ...request, ...rest });
	if (outcome.ok) return outcome.output;
	signal.throwIfAborted();
	throw new GitError(`git ${args[0]} failed: ${outcome.message}`);
}

/** In the tree of a task, whose settings a model may have changed: none of its programs run. */
export async function gitInTree(
	context: GitContext,
	args: readonly [string, ...string[]],
	extras: GitExtras = {},
): Promise<string> {
	return await git(context, args, extras, { kind: "project", isTrusted: true });
}

/** What `ls-remote` lists: the name and the object of each. */
export function readRefs(listed: string): [name: string, object: string][] {
	const rows = listed.split("\n").filter(Boolean);
	return rows.map((row) => [row.slice(row.indexOf("\t") + 1), row.slice(0, row.indexOf("\t"))]);
}
