/** The clone of a repository that a worker keeps: tasks start from it, and their branches leave through it. */
import { existsSync, readdirSync, rmSync, statSync, utimesSync } from "node:fs";
import { mkdtemp, rename } from "node:fs/promises";
import { join } from "node:path";

import { privateDirectory, shortHash, type Env } from "@tau/utils";

import { limits } from "../limits.ts";
import { git, GitError, type GitContext } from "./git.ts";

const nameSyntax = /^[0-9a-f]+\.git$/;

export class Mirror {
	readonly path: string;
	readonly #repo: string;
	readonly #env: Env;

	private constructor(path: string, repo: string, env: Env) {
		this.path = path;
		this.#repo = repo;
		this.#env = env;
	}

	/** Clones the repository unless that was done before. An empty address is a repository that a bundle fills. */
	static async open(
		directory: string,
		repo: string,
		{ env, signal }: Omit<GitContext, "cwd">,
	): Promise<Mirror> {
		privateDirectory(directory);
		const path = join(directory, `${shortHash(repo)}.git`);
		if (existsSync(path)) {
			const now = new Date();
			utimesSync(path, now, now);
			return new Mirror(path, repo, env);
		}
		const made = await mkdtemp(join(directory, "new-"));
		try {
			const context = { cwd: directory, env, signal };
			if (repo === "") await git(context, ["init", "--quiet", "--bare", made]);
			// Without links into a repository of this machine, which trees of tasks would share.
			else {
				const clone = ["clone", "--quiet", "--bare", "--no-hardlinks", "--no-tags", "--template="] as const;
				await git(context, [...clone, "--", repo, made]);
			}
			// Another task may have been faster: then its clone is used.
			await rename(made, path).catch((error: unknown) => {
				if (!existsSync(path)) throw error;
			});
		} finally {
			rmSync(made, { recursive: true, force: true });
		}
		return new Mirror(path, repo, env);
	}

	/** Makes sure that the commit is there. */
	async bring(commit: string, bundle: Uint8Array | undefined, signal: AbortSignal): Promise<void> {
		const context = this.context(signal);
		if (await this.#has(commit, context)) return;
		if (this.#repo !== "") {
			const fetched = await git(context, [
				"fetch",
				"--quiet",
				"--no-tags",
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
			const file = join(this.path, `in-${commit}.bundle`);
			await Bun.write(file, bundle);
			try {
				await git(context, ["fetch", "--quiet", "--no-tags", "--", file, "+refs/*:refs/tau/in/*"]);
			} finally {
				rmSync(file, { force: true });
			}
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

/** Removes the clones that were not used for the longest time. */
export function trimMirrors(directory: string): void {
	if (!existsSync(directory)) return;
	const found = readdirSync(directory)
		.filter((name) => nameSyntax.test(name))
		.map((name) => ({ path: join(directory, name), usedMs: statSync(join(directory, name)).mtimeMs }))
		.toSorted((a, b) => b.usedMs - a.usedMs);
	for (const { path } of found.slice(limits.repositories)) rmSync(path, { recursive: true, force: true });
}
