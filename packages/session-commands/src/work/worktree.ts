/** Work in a git worktree of its own: made beside the repository, merged back, and removed when nothing is in it. */
import { mkdir, rmdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

import { trustCopy } from "@tau/extensions/trust/partial";
import { protectedFromWrites } from "@tau/session/policy";
import { UserError } from "@tau/session/run";
import { findRepository, gitDirectoryAt, runGit, type GitRequest } from "@tau/sys";
import { plural, shortenHome, type Env } from "@tau/utils";

import { limits } from "../limits.ts";

export interface Worktree {
	readonly name: string;
	/** Its root. */
	readonly path: string;
	readonly branch: string;
	/** The root of the repository that it belongs to. */
	readonly main: string;
}

export interface WorktreeState {
	readonly changedFiles: number;
	/** Commits that the branch of the repository does not have. */
	readonly commits: number;
}

const prefix = "tau/";
const names = /^\w[\w.-]{0,60}$/;

/** Beside the repository, where its user finds them: Tau's own directory is protected from what models do. */
function homeOf(main: string): string {
	return `${main}.worktrees`;
}

/**
 * Makes the worktree, on a branch `tau/<name>` of the current commit, or finds it. Git has to be allowed here; the
 * worktree is trusted as far as the repository is. The second value is the same directory in the worktree.
 */
export async function openWorktree(
	given: string | undefined,
	from: { cwd: string; env: Env; agentDir: string; isProjectTrusted: boolean },
): Promise<{ worktree: Worktree; directory: string }> {
	const { cwd, env, agentDir } = from;
	const repository = await findRepository(cwd);
	if (!repository) throw new UserError(`A worktree needs a git repository, and ${cwd} is in none.`);
	const inside = await worktreeAt(cwd);
	const main = inside?.main ?? repository.root;
	const name = given ?? defaultName(new Date());
	if (!names.test(name))
		throw new UserError(`"${name}" cannot name a worktree: use letters, digits, dots, dashes, up to 61.`);
	const path = join(homeOf(main), name);
	const worktree = { name, path, branch: `${prefix}${name}`, main };
	if (!(await findRepository(path).then((found) => found?.root === path))) {
		await mkdir(dirname(path), { recursive: true });
		const hasBranch = (await run(main, env, ["branch", "--list", worktree.branch])).trim() !== "";
		const branch = hasBranch ? [path, worktree.branch] : ["-b", worktree.branch, path, "HEAD"];
		await run(main, env, ["worktree", "add", ...branch]);
		// The answer that was given for the project holds here too, as far as the commit has the same code.
		if (from.isProjectTrusted) trustCopy(repository.root, path, agentDir);
	}
	return { worktree, directory: join(path, repository.prefix) };
}

/** The worktree of Tau's that a directory is in. Reads files only. */
export async function worktreeAt(cwd: string): Promise<Worktree | undefined> {
	const path = (await findRepository(cwd))?.root;
	if (path === undefined) return undefined;
	const gitDir = await gitDirectoryAt(join(path, ".git"));
	// `<main>/.git/worktrees/<id>`; the main work tree has `.git` itself.
	if (gitDir === undefined || basename(dirname(gitDir)) !== "worktrees") return undefined;
	const main = dirname(dirname(dirname(gitDir)));
	const name = basename(path);
	return path === join(homeOf(main), name) ? { name, path, branch: `${prefix}${name}`, main } : undefined;
}

export async function stateOf({ path, main }: Worktree, env: Env): Promise<WorktreeState> {
	const status = await run(path, env, ["status", "--porcelain=v1", "-z"]);
	const head = (await run(main, env, ["rev-parse", "HEAD"])).trim();
	const commits = await run(path, env, ["rev-list", "--count", `${head}..HEAD`]);
	return { changedFiles: status.split("\0").filter(Boolean).length, commits: Number(commits) };
}

/** What a merge would bring into the branch that is checked out in the repository. */
export interface PlannedMerge {
	/** The last commit: what the branch gets afterwards is not merged. */
	readonly tip: string;
	readonly commits: number;
	/** Protected files that it would write, and why they are. A commit can have them although the work tree does not. */
	readonly isProtected: readonly string[];
}

export async function plannedMerge(worktree: Worktree, env: Env): Promise<PlannedMerge> {
	const { branch, main } = worktree;
	const { changedFiles, commits } = await stateOf(worktree, env);
	if (changedFiles > 0)
		throw new UserError(
			`${plural(changedFiles, "changed file")} ${changedFiles === 1 ? "is" : "are"} not committed. Run /commit all first.`,
		);
	// A tag may have the same name.
	const tip = (await run(main, env, ["rev-parse", "--verify", `refs/heads/${branch}`])).trim();
	const listed = await run(main, env, ["diff", "--name-only", "--no-renames", "-z", `HEAD...${tip}`]);
	const isProtected: string[] = [];
	for (const name of listed.split("\0").filter(Boolean)) {
		const why = await protectedFromWrites(join(main, name), env);
		if (why !== undefined) isProtected.push(`${name} (${why})`);
	}
	return { tip, commits, isProtected };
}

/** A conflict leaves both as they were. */
export async function mergeWorktree(
	{ branch, main }: Worktree,
	{ tip, commits }: PlannedMerge,
	env: Env,
): Promise<string> {
	if (commits === 0) return `Nothing to merge: ${branch} has no commits of its own.`;
	const current = (await run(main, env, ["rev-parse", "--abbrev-ref", "HEAD"])).trim();
	const merged = await git(main, env, ["merge", "-m", `Merge branch '${branch}'`, tip]);
	if (!merged.ok) {
		// Fails where git refused before it began, and then there is nothing to take back.
		await git(main, env, ["merge", "--abort"]);
		throw new UserError(
			`${branch} was not merged into ${current}: ${merged.message}. Nothing was changed; run git merge ${branch} in ${shortenHome(main)}.`,
		);
	}
	return `Merged ${plural(commits, "commit")} of ${branch} into ${current} in ${shortenHome(main)}.`;
}

/** Removes a worktree without work of its own, and its branch. Returns whether it did. */
export async function removeIfEmpty(worktree: Worktree, env: Env): Promise<boolean> {
	const { path, branch, main } = worktree;
	const { changedFiles, commits } = await stateOf(worktree, env);
	if (changedFiles > 0 || commits > 0) return false;
	// Ignored files, such as installed packages, are no work: git removes them only by force.
	await run(main, env, ["worktree", "remove", "--force", path]);
	await run(main, env, ["branch", "-d", branch]);
	// Fails where others are left in it.
	await rmdir(dirname(path)).catch(() => {});
	return true;
}

function defaultName(now: Date): string {
	return now.toISOString().slice(5, 19).replaceAll(/\D/g, "");
}

function git(cwd: string, env: Env, args: GitRequest["args"]): ReturnType<typeof runGit> {
	const { worktreeMs: timeoutMs, gitBytes: maxBytes } = limits;
	return runGit({ where: { kind: "project", isTrusted: true }, args, cwd, env, timeoutMs, maxBytes });
}

async function run(cwd: string, env: Env, args: GitRequest["args"]): Promise<string> {
	const outcome = await git(cwd, env, args);
	if (!outcome.ok) throw new UserError(`git ${args[0]} failed: ${outcome.message}`);
	return outcome.output;
}
