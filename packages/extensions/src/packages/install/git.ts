/** Fetches one commit of a repository, without its history. */
import { mkdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { runGit, type GitRequest } from "@tau/sys";
import { throwIfAborted } from "@tau/utils";

import { limits } from "../limits.ts";
import { PackageError } from "../problem.ts";
import type { PackageSource } from "../source.ts";
import { checkTree } from "./check-tree.ts";
import type { RegistryAccess } from "./registry.ts";

type GitSource = Extract<PackageSource, { kind: "git" }>;
type Git = (...args: GitRequest["args"]) => Promise<string>;

/** The package is in `package` of the directory afterwards; returns the commit. */
export async function fetchRepository(
	{ url, ref }: GitSource,
	directory: string,
	access: RegistryAccess,
): Promise<string> {
	const root = join(directory, "package");
	mkdirSync(root);
	const git: Git = (...args) => transfer({ args, cwd: root }, access);
	await git("init", "--quiet");
	await git("remote", "add", "origin", url);
	await fetchRef(git, ref);
	await git("checkout", "--quiet", "--detach", "FETCH_HEAD");
	const commit = (await git("rev-parse", "HEAD")).trim();
	rmSync(join(root, ".git"), { recursive: true, force: true });
	checkTree(url, root);
	return commit;
}

/** The commit that a fetch without a ref would give now. */
export async function newestCommit({ url }: GitSource, access: RegistryAccess): Promise<string> {
	const args = ["ls-remote", "--quiet", "--", url, "HEAD"] as const;
	// The directory is never read, but must exist.
	const output = await transfer({ args, cwd: tmpdir(), isOutside: true }, access);
	return output.split(/\s/)[0] ?? "";
}

async function transfer(
	{ args, cwd, isOutside = false }: { args: GitRequest["args"]; cwd: string; isOutside?: boolean },
	{ env, signal }: RegistryAccess,
): Promise<string> {
	const outcome = await runGit({
		where: { kind: "transfer", outside: isOutside },
		args,
		cwd,
		env,
		timeoutMs: limits.gitMs,
		maxBytes: limits.gitBytes,
		signal,
	});
	throwIfAborted(signal);
	if (outcome.ok) return outcome.output;
	throw new PackageError(
		outcome.reason === "failed" ? `git failed: ${outcome.message}` : `${outcome.message}.`,
	);
}

async function fetchRef(git: Git, ref: string | undefined): Promise<void> {
	try {
		await git("fetch", "--quiet", "--depth", "1", "--no-tags", "origin", ref ?? "HEAD");
	} catch (error) {
		// Some servers do not serve single commits: then everything is fetched, and the commit is looked up in it.
		if (!(error instanceof PackageError) || ref === undefined || !/^[0-9a-f]{7,64}$/.test(ref)) throw error;
		await git("fetch", "--quiet", "--tags", "origin", "+refs/heads/*:refs/remotes/origin/*");
		await git("update-ref", "FETCH_HEAD", ref);
	}
}
