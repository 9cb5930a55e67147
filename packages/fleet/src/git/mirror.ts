/** The clone of a repository that a worker keeps: tasks start from it, and their branches leave through it. */
import { existsSync, readdirSync, rmSync, statSync, utimesSync } from "node:fs";
import { rename } from "node:fs/promises";
import { uptime } from "node:os";
import { join } from "node:path";

import { Glob } from "bun";

import { privateDirectory, shortHash, type Env } from "@tau/utils";

import { limits } from "../limits.ts";
import { isCommit } from "../task.ts";
import { git, GitError, type GitContext } from "./git.ts";

/** What `shortHash` gives. */
const nameSyntax = /^[0-9a-z]+\.git$/;

export class Mirror {
	readonly path: string;
	readonly #repo: string;
	readonly #env: Env;

	private constructor(path: string, repo: string, env: Env) {
		this.path = path;
		this.#repo = repo;
		this.#env = env;
	}

	/**
	 * Clones the repository unless that was done before. An empty address is a repository that a bundle fills. `scratch` is
	 * a directory of the task on the same disk: what is unfinished there is removed with it, whatever happens to the worker.
	 */
	static async open(
		directory: string,
		repo: string,
		{ env, signal, scratch }: Pick<GitContext, "env" | "signal"> & { readonly scratch: string },
	): Promise<Mirror> {
		privateDirectory(directory);
		const path = join(directory, `${shortHash(repo)}.git`);
		if (existsSync(path)) {
			const now = new Date();
			utimesSync(path, now, now);
			return new Mirror(path, repo, env);
		}
		const made = join(scratch, "clone.git");
		const context = { cwd: scratch, env, signal };
		if (repo === "") await git(context, ["init", "--quiet", "--bare", made]);
		else await git(context, ["clone", "--quiet", "--bare", "--no-tags", "--template=", "--", repo, made]);
		// Another task may have been faster: then its clone is used.
		await rename(made, path).catch((error: unknown) => {
			if (!existsSync(path)) throw error;
		});
		return new Mirror(path, repo, env);
	}

	/** Makes sure that the commit is there. `scratch` is a directory of the task. */
	async bring(
		commit: string,
		{ bundle, scratch, signal }: { bundle: Uint8Array | undefined; scratch: string; signal: AbortSignal },
	): Promise<void> {
		// The store may have been written by anything that can reach it.
		if (!isCommit(commit)) throw new Error("The commit of the task is not the name of one.");
		const context = this.context(signal);
		if (await this.#has(commit, context)) return;
		if (this.#repo !== "") {
			const fetched = await git(context, [
				"fetch",
				"--quiet",
				"--no-tags",
				// A branch that is gone may be in the way of a new one: a/b of a.
				"--prune",
				"--",
				this.#repo,
				"+refs/heads/*:refs/heads/*",
			]).catch((error: unknown) => error);
			if (await this.#has(commit, context)) return;
			// A commit that is on no branch; some servers do not give it out.
			if (!bundle) {
				if (fetched instanceof GitError) throw fetched;
				await git(context, ["fetch", "--quiet", "--no-tags", "--", this.#repo, commit]);
			}
		}
		if (bundle) {
			const file = join(scratch, "in.bundle");
			await Bun.write(file, bundle);
			await git(context, ["fetch", "--quiet", "--no-tags", "--", file, "+refs/*:refs/tau/in/*"]);
		}
	}

	context(signal: AbortSignal): GitContext {
		return { cwd: this.path, env: this.#env, signal, bare: this.path };
	}

	/** The commits of a branch that a task has made since `base`, as a file for `git fetch`. */
	async bundle(branch: string, base: string, signal: AbortSignal): Promise<Uint8Array> {
		const ref = `refs/tau/out/${branch}`;
		const extras = { isBytes: true, maxBytes: limits.patchBytes };
		const bytes = await git(
			this.context(signal),
			["bundle", "create", "--quiet", "-", `${base}..${ref}`],
			extras,
		);
		return Buffer.from(bytes, "latin1");
	}

	/** Removes a branch that has left. */
	async forget(branch: string): Promise<void> {
		await git(this.context(AbortSignal.timeout(limits.endMs)), [
			"update-ref",
			"-d",
			`refs/tau/out/${branch}`,
		]);
	}

	get repo(): string {
		return this.#repo;
	}

	async #has(commit: string, context: GitContext): Promise<boolean> {
		return await git(context, ["cat-file", "-e", `${commit}^{commit}`]).then(
			() => true,
			() => false,
		);
	}
}

/** Removes the clones that were not used for the longest time, and the locks that killed processes have left in the others. */
export function trimMirrors(directory: string): void {
	if (!existsSync(directory)) return;
	const found = readdirSync(directory)
		.filter((name) => nameSyntax.test(name))
		.map((name) => ({ path: join(directory, name), usedMs: statSync(join(directory, name)).mtimeMs }))
		.toSorted((a, b) => b.usedMs - a.usedMs);
	for (const { path } of found.slice(limits.repositories)) rmSync(path, { recursive: true, force: true });
	for (const { path } of found.slice(0, limits.repositories)) removeStaleLocks(path);
}

/**
 * Packs the clones in which every task has left objects, so that they do not grow without end. What is not used any more
 * goes two weeks later, by git's own rule: tasks of other workers may be about to use it.
 */
export async function packMirrors(
	directory: string,
	context: Pick<GitContext, "env" | "signal">,
): Promise<void> {
	if (!existsSync(directory)) return;
	for (const name of readdirSync(directory)) {
		const path = join(directory, name);
		if (!nameSyntax.test(name) || !isScattered(path)) continue;
		await git({ ...context, cwd: path, bare: path }, ["gc", "--quiet"]);
	}
}

/** As git estimates it: by the packs, and by one of the 256 directories of objects. */
function isScattered(mirror: string): boolean {
	const count = (folder: string, suffix: string): number => {
		const path = join(mirror, "objects", folder);
		return existsSync(path) ? readdirSync(path).filter((name) => name.endsWith(suffix)).length : 0;
	};
	return count("pack", ".pack") > limits.packs || count("17", "") * 256 > limits.looseObjects;
}

/** Git fails for as long as a lock is there. No git of a worker runs for longer than its bound, and none survives a restart. */
function removeStaleLocks(mirror: string): void {
	const oldest = Date.now() - Math.min(limits.gitMs, uptime() * 1000);
	const names = ["*.lock", "refs/**/*.lock"].flatMap((pattern) => [...new Glob(pattern).scanSync(mirror)]);
	for (const name of names) {
		const path = join(mirror, name);
		if ((statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? oldest) < oldest)
			rmSync(path, { force: true });
	}
}
