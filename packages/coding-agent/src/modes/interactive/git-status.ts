/** The branch that the directory is on and whether something is changed, asked for only after something may have been. */
import { listen, onDispose, timer } from "@tau/utils";

import { limits } from "./limits.ts";

export interface GitFacts {
	branch: string;
	isDirty: boolean;
}

export class GitStatus implements Disposable {
	readonly #cwd: () => string;
	readonly #changed: (facts: GitFacts | undefined) => void;
	readonly #closing = new AbortController();
	#waiting: Disposable | undefined;
	#running = false;
	#again = false;
	/** A tree with very many files: what is not tracked is left out. */
	#isLarge = false;

	constructor(cwd: () => string, changed: (facts: GitFacts | undefined) => void) {
		this.#cwd = cwd;
		this.#changed = changed;
	}

	/** Something may have changed. Many calls ask once. */
	touch(): void {
		if (this.#closing.signal.aborted) return;
		this.#waiting ??= timer(limits.gitSettleMs, () => {
			this.#waiting = undefined;
			void this.refresh();
		});
	}

	async refresh(): Promise<void> {
		this.#again = this.#running;
		if (this.#running || this.#closing.signal.aborted) return;
		this.#running = true;
		const facts = await this.#ask().catch(() => undefined);
		this.#running = false;
		if (this.#closing.signal.aborted) return;
		this.#changed(facts);
		if (this.#again) this.touch();
	}

	[Symbol.dispose](): void {
		this.#closing.abort();
		this.#waiting?.[Symbol.dispose]();
	}

	/** Nothing outside a repository, or where there is no git. */
	async #ask(): Promise<GitFacts | undefined> {
		const started = performance.now();
		const untracked = `--untracked-files=${this.#isLarge ? "no" : "normal"}`;
		// Without optional locks: a commit of the person at the same moment must not fail because of us.
		const child = Bun.spawn(["git", "--no-optional-locks", "status", "--porcelain", "--branch", untracked], {
			cwd: this.#cwd(),
			stdin: "ignore",
			stdout: "pipe",
			stderr: "ignore",
		});
		using _kill = listen(this.#closing.signal, "abort", () => child.kill());
		using _late = timer(limits.gitMs, () => child.kill());
		using _end = onDispose(() => child.kill());
		const [text, code] = await Promise.all([child.stdout.text(), child.exited]);
		this.#isLarge ||= performance.now() - started > limits.gitSlowMs;
		return code === 0 ? factsOf(text) : undefined;
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
