/** Keeps the branch and the dirty mark of the footer up to date; git runs only after something may have changed. */
import { findRepository, readHead, runGit } from "@tau/sys";
import { timer, type Env } from "@tau/utils";

import { limits } from "./limits.ts";

export interface GitFacts {
	branch: string;
	isDirty: boolean;
}

/** Tells when the session has changed a file. */
interface WatchedJournal {
	subscribe(listener: () => void): Disposable;
}

export interface GitStatusParts {
	cwd(): string;
	env: Env;
	/** Whether the user trusts the project. Until then the branch is read from files, and nothing is marked as dirty. */
	isTrusted(): boolean;
	/** What the current session has changed, if it is in this process. */
	journal?(): WatchedJournal | undefined;
	onChange(status: GitFacts | undefined): void;
}

export class GitStatus implements Disposable {
	readonly #parts: GitStatusParts;
	readonly #closing = new AbortController();
	#waiting: Disposable | undefined;
	#watched: { journal: WatchedJournal; listener: Disposable } | undefined;
	#running = false;
	#again = false;
	/** A tree with very many files: untracked files are left out. */
	#isLarge = false;

	constructor(parts: GitStatusParts) {
		this.#parts = parts;
	}

	/** Something may have changed. Many calls start git once. */
	touch(): void {
		if (this.#closing.signal.aborted) return;
		this.#watch();
		this.#waiting ??= timer(limits.gitSettleMs, () => {
			this.#waiting = undefined;
			void this.refresh();
		});
	}

	async refresh(): Promise<void> {
		this.#again = this.#running;
		if (this.#running || this.#closing.signal.aborted) return;
		this.#running = true;
		this.#watch();
		const status = await this.#read();
		this.#running = false;
		if (this.#closing.signal.aborted) return;
		this.#parts.onChange(status);
		if (this.#again) this.touch();
	}

	[Symbol.dispose](): void {
		this.#closing.abort();
		this.#waiting?.[Symbol.dispose]();
		this.#watched?.listener[Symbol.dispose]();
	}

	/** Another session has another journal. */
	#watch(): void {
		const journal = this.#parts.journal?.();
		if (!journal || journal === this.#watched?.journal) return;
		this.#watched?.listener[Symbol.dispose]();
		this.#watched = { journal, listener: journal.subscribe(() => this.touch()) };
	}

	/** Undefined outside a repository. */
	async #read(): Promise<GitFacts | undefined> {
		const repository = await findRepository(this.#parts.cwd());
		const head = repository && (await readHead(repository));
		if (!head) return undefined;
		const status = this.#parts.isTrusted() ? await this.#status() : undefined;
		const branch = head.isDetached ? "detached" : (head.branch ?? status?.branch);
		return branch === undefined ? undefined : { branch, isDirty: status?.isDirty ?? false };
	}

	/** Undefined when git is missing, fails or takes too long. */
	async #status(): Promise<Partial<GitFacts> | undefined> {
		const started = performance.now();
		const outcome = await runGit({
			where: { kind: "project", isTrusted: this.#parts.isTrusted() },
			args: ["status", "--porcelain", "--branch", `--untracked-files=${this.#isLarge ? "no" : "normal"}`],
			cwd: this.#parts.cwd(),
			env: this.#parts.env,
			timeoutMs: limits.gitMs,
			maxBytes: limits.gitStatusBytes,
			signal: this.#closing.signal,
		});
		this.#isLarge ||= performance.now() - started > limits.gitSlowMs;
		if (outcome.ok) return factsOf(outcome.output);
		return outcome.reason === "too-large" ? { isDirty: true } : undefined;
	}
}

/** `## main...origin/main [ahead 1]`, then a line for each change. */
export function factsOf(status: string): GitFacts | undefined {
	const [head = "", ...changes] = status.split("\n");
	const name = /^## (?:No commits yet on |Initial commit on )?(.+?)(?:\.\.\.\S+)?(?: \[.*\])?$/.exec(
		head,
	)?.[1];
	if (name === undefined) return undefined;
	const branch = name.startsWith("HEAD (") ? "detached" : name;
	return { branch, isDirty: changes.some((line) => line !== "") };
}
