/** The tree of a task: a clone of its own, whose changes are stored while it runs and committed at the end. */
import { copyFileSync, existsSync } from "node:fs";
import { join } from "node:path";

import type { Env } from "@tau/utils";

import { limits } from "../limits.ts";
import { git, GitError, gitInTree, type GitContext } from "./git.ts";
import type { Mirror } from "./mirror.ts";

export interface TreeParts {
	readonly mirror: Mirror;
	/** Where the tree and what belongs to it are made. */
	readonly directory: string;
	readonly commit: string;
	readonly branch: string;
	readonly env: Env;
	readonly signal: AbortSignal;
}

/** The identity of commits where git has none. */
const committer = { name: "Tau", email: "tau@localhost" };

export class WorkTree {
	readonly path: string;
	readonly #parts: TreeParts;
	readonly #index: string;
	/** The tree of the last patch that was stored; undefined before the first. */
	#stored: string | undefined;

	private constructor(parts: TreeParts, path: string) {
		this.#parts = parts;
		this.path = path;
		this.#index = join(parts.directory, "index");
	}

	static async create(parts: TreeParts): Promise<WorkTree> {
		const { mirror, directory, commit, branch, env, signal } = parts;
		const path = join(directory, "tree");
		// Files of objects are copied: git links them, and a command that changes one would change it for all other tasks.
		await git({ cwd: directory, env, signal }, [
			"clone",
			"--quiet",
			"--local",
			"--no-hardlinks",
			"--no-checkout",
			"--no-tags",
			"--template=",
			"--",
			mirror.path,
			path,
		]);
		await gitInTree({ cwd: path, env, signal }, ["checkout", "--quiet", "-b", branch, commit]);
		return new WorkTree(parts, path);
	}

	/** What differs from the commit that the task started from; undefined if nothing has changed since the one that is done. */
	async patch(): Promise<{ readonly bytes: Uint8Array; done(): void } | undefined> {
		const own = join(this.path, ".git/index");
		// With the facts of files that git has looked at already.
		if (!existsSync(this.#index) && existsSync(own)) copyFileSync(own, this.#index);
		const extras = { indexFile: this.#index };
		await gitInTree(this.#context, ["add", "--all"], extras);
		const tree = (await gitInTree(this.#context, ["write-tree"], extras)).trim();
		// Not at the start: nobody waits for it here.
		this.#stored ??= (await gitInTree(this.#context, ["rev-parse", `${this.#parts.commit}^{tree}`])).trim();
		if (tree === this.#stored) return undefined;
		const diff = ["diff", "--binary", "--full-index", this.#parts.commit, tree] as const;
		const bytes = await gitInTree(this.#context, [...diff], { isBytes: true, maxBytes: limits.patchBytes });
		return { bytes: Buffer.from(bytes, "latin1"), done: () => void (this.#stored = tree) };
	}

	/** Applies what `patch` has given for a tree elsewhere. Throws if it does not fit. */
	async apply(patch: Uint8Array): Promise<void> {
		if (patch.length === 0) return;
		await gitInTree(this.#context, ["apply", "--binary", "--whitespace=nowarn"], { input: patch });
	}

	/** Commits what is not committed, and hands all commits to the mirror. Undefined if there are none. */
	async commit(message: string): Promise<string | undefined> {
		const { commit: base, mirror, signal } = this.#parts;
		await gitInTree(this.#context, ["add", "--all"]);
		const isDirty = await gitInTree(this.#context, ["diff", "--cached", "--quiet"]).then(
			() => false,
			(error: unknown) => {
				if (error instanceof GitError) return true;
				throw error;
			},
		);
		if (isDirty) {
			const context = { ...this.#context, env: { ...this.#parts.env, ...(await this.#identity()) } };
			await gitInTree(context, ["commit", "--quiet", "--no-verify", "--no-gpg-sign", "--file=-"], {
				input: message,
			});
		}
		const head = (await gitInTree(this.#context, ["rev-parse", "HEAD"])).trim();
		if (head === base) return undefined;
		const target = `refs/tau/out/${this.#parts.branch}`;
		await git(mirror.context(signal), ["fetch", "--quiet", "--no-tags", "--", this.path, `+HEAD:${target}`]);
		return head;
	}

	get #context(): GitContext {
		const { env, signal } = this.#parts;
		return { cwd: this.path, env, signal };
	}

	async #identity(): Promise<Env> {
		const known = await gitInTree(this.#context, ["config", "user.email"]).catch(() => "");
		if (known.trim() !== "" || this.#parts.env.GIT_AUTHOR_EMAIL !== undefined) return {};
		const { name, email } = committer;
		return {
			GIT_AUTHOR_NAME: name,
			GIT_AUTHOR_EMAIL: email,
			GIT_COMMITTER_NAME: name,
			GIT_COMMITTER_EMAIL: email,
		};
	}
}
