/** Asks git what changed in the working tree; only where the user trusts the project. */
import { findRepository, runGit, type GitOutcome, type GitRequest } from "@tau/sys";
import type { Env } from "@tau/utils";

import { limits } from "../limits.ts";
import { statusPaths } from "./changed-files.ts";

export interface GitProject {
	cwd: string;
	env: Env;
	isTrusted: boolean;
}

export interface GitChanges {
	/** Changed paths below the directory, relative to it; undefined where git did not run. */
	paths: string[] | undefined;
	/** Why git did not run, unless there is no repository or no git. */
	problem?: string;
}

const untrusted =
	"Changes made outside this session are not listed, because this project is not trusted and a repository's git config can run programs. Run /trust yes to allow it.";

export async function gitChanges(project: GitProject): Promise<GitChanges> {
	const repository = await findRepository(project.cwd);
	if (!repository) return { paths: undefined };
	const { prefix } = repository;
	const within = prefix === "" ? "." : prefix;
	const status = (untracked: "all" | "normal") =>
		git(project, ["status", "--porcelain=v1", "-z", `--untracked-files=${untracked}`, "--", within]);
	const all = await status("all");
	// A new directory with very many files is one path.
	const outcome = !all.ok && all.reason === "too-large" ? await status("normal") : all;
	if (!outcome.ok) return { paths: undefined, ...problemOf(outcome) };
	return { paths: statusPaths(outcome.output).map((path) => relativeTo(prefix, path)) };
}

/** The difference to the last commit. */
export async function gitDiff(project: GitProject, path: string): Promise<string> {
	const prefix = (await findRepository(project.cwd))?.prefix ?? "";
	const outcome = await git(project, ["diff", "--no-color", "HEAD", "--", `${prefix}${path}`]);
	return outcome.ok ? outcome.output : "";
}

function git({ cwd, env, isTrusted }: GitProject, args: GitRequest["args"]): Promise<GitOutcome> {
	return runGit({
		where: { kind: "project", isTrusted },
		args,
		cwd,
		env,
		timeoutMs: limits.gitMs,
		maxBytes: limits.gitBytes,
	});
}

function problemOf({ reason, message }: Extract<GitOutcome, { ok: false }>): { problem?: string } {
	if (reason === "not-installed") return {};
	if (reason === "untrusted") return { problem: untrusted };
	return { problem: `Changes made outside this session are not listed: ${message}.` };
}

/** Git's paths are relative to the root of the repository. */
function relativeTo(prefix: string, path: string): string {
	return path.startsWith(prefix) ? path.slice(prefix.length) || "./" : path;
}
