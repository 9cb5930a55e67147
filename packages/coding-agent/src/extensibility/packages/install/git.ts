/** Fetches one commit of a repository, without its history. */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";

import { limits } from "../limits.ts";
import { PackageError } from "../problem.ts";
import type { PackageSource } from "../source.ts";
import { checkTree } from "./check-tree.ts";
import type { RegistryAccess } from "./registry.ts";
import { runProcess } from "./run-process.ts";

type GitSource = Extract<PackageSource, { kind: "git" }>;

/** The package lies in `package` of the directory afterwards; gives the commit. */
export async function fetchRepository(
	{ url, ref }: GitSource,
	directory: string,
	{ env, signal }: RegistryAccess,
): Promise<string> {
	const root = join(directory, "package");
	mkdirSync(root);
	const git = (...words: string[]): Promise<string> =>
		runProcess({
			name: "git",
			command: ["git", ...safely, ...words],
			cwd: root,
			env,
			more: gitEnv,
			ms: limits.gitMs,
			signal,
		});
	await git("init", "--quiet");
	await git("remote", "add", "origin", url);
	await fetchRef(git, ref);
	await git("checkout", "--quiet", "--detach", "FETCH_HEAD");
	const commit = (await git("rev-parse", "HEAD")).trim();
	rmSync(join(root, ".git"), { recursive: true, force: true });
	checkTree(url, root);
	return commit;
}

/** Nobody sits there to type a password. */
export const gitEnv = { GIT_TERMINAL_PROMPT: "0", GIT_LFS_SKIP_SMUDGE: "1" };

/** What the repository or the person's own configuration could have run here. */
export const safely = [
	["core.hooksPath", "/dev/null"],
	["protocol.ext.allow", "never"],
	["submodule.recurse", "false"],
	["advice.detachedHead", "false"],
].flatMap(([key, value]) => ["-c", `${key}=${value}`]);

async function fetchRef(
	git: (...words: string[]) => Promise<string>,
	ref: string | undefined,
): Promise<void> {
	try {
		await git("fetch", "--quiet", "--depth", "1", "--no-tags", "origin", ref ?? "HEAD");
	} catch (error) {
		// Some servers give single commits to nobody: then everything is fetched, and the commit is looked for in it.
		if (!(error instanceof PackageError) || ref === undefined || !/^[0-9a-f]{7,64}$/.test(ref)) throw error;
		await git("fetch", "--quiet", "--tags", "origin", "+refs/heads/*:refs/remotes/origin/*");
		await git("update-ref", "FETCH_HEAD", ref);
	}
}
