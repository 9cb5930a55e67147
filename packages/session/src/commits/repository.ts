/** Git in the repository of a commit: every call goes through `runGit`. */
import { runGit, type GitOutcome } from "@tau/sys";
import type { Env } from "@tau/utils";

import { UserError } from "../run/user-error.ts";
import { limits } from "./limits.ts";

export interface RepositoryParts {
	cwd: string;
	env: Env;
	/** Whether the user trusts the project: otherwise git does not run. */
	isTrusted: boolean;
	signal: AbortSignal;
}

export interface GitOptions {
	input?: string | Uint8Array;
	indexFile?: string;
	isBytes?: boolean;
	hooks?: boolean;
}

type GitArgs = readonly [command: string, ...rest: string[]];

export class CommitRepository {
	readonly #parts: RepositoryParts;

	constructor(parts: RepositoryParts) {
		this.#parts = parts;
	}

	/** Throws a `UserError` with what git says. */
	async git(args: GitArgs, options: GitOptions = {}): Promise<string> {
		const outcome = await this.attempt(args, options);
		if (outcome.ok) return outcome.output;
		if (outcome.reason === "untrusted")
			throw new UserError(
				"Git was not run: this project is not trusted, and a repository's git config can run programs.",
			);
		if (outcome.reason === "no-repository")
			throw new UserError(`${outcome.message}. Change to one, or make one with git init.`);
		throw new UserError(`git ${args[0]}: ${outcome.message}`);
	}

	async line(args: GitArgs, options: GitOptions = {}): Promise<string> {
		return (await this.git(args, options)).trim();
	}

	attempt(args: GitArgs, { hooks = false, ...options }: GitOptions = {}): Promise<GitOutcome> {
		const { isTrusted, ...rest } = this.#parts;
		return runGit({
			...rest,
			...options,
			where: { kind: "project", isTrusted, hooks },
			args,
			timeoutMs: hooks ? limits.hookMs : limits.gitMs,
			maxBytes: limits.gitBytes,
		});
	}
}
