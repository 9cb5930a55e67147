/**
 * Repositories of the user whose hooks and settings are too many to be remembered, or that are found late: times and numbers of files,
 * which no command can choose, say whether one has changed. It then counts as made by the command. `own-repositories.ts` remembers the
 * contents of the first 200, which puts them back instead, and reads each of their files twice per command: for thousands that would be
 * too slow, and times alone would put nothing back. So there are two.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";

import { gitDirectories } from "./git-directories.ts";
import { limits } from "./limits.ts";
import { statsOf } from "./stats-of.ts";

export class UnreadRepositories {
	readonly #since = BigInt(Date.now() - limits.coarsestTickMs) * 1_000_000n;
	/** By the path: what it was like when no command ran. */
	readonly #seen = new Map<string, string>();

	constructor(paths: readonly string[]) {
		for (const path of paths) this.#seen.set(path, factsOf(path));
	}

	/** One that was found while a command ran, or after it. False if it may be the command's. */
	add(path: string): boolean {
		const isOlder = filesOf(path).every((file) => (statsOf(file)?.ctimeNs ?? 0n) < this.#since);
		if (isOlder) this.#seen.set(path, factsOf(path));
		return isOlder;
	}

	/** What is there is the user's. */
	keep(): void {
		for (const path of this.#seen.keys()) this.#seen.set(path, factsOf(path));
	}

	/** Those that have changed since, once. */
	changed(): string[] {
		const changed = [...this.#seen].filter(([path, facts]) => facts !== factsOf(path)).map(([path]) => path);
		for (const path of changed) this.#seen.delete(path);
		return changed;
	}
}

/** The directory itself changes with each commit: only which one it is counts. */
function factsOf(path: string): string {
	return filesOf(path)
		.map((file) => {
			const stats = statsOf(file);
			const isIt = file === path && stats?.isDirectory();
			return `${file} ${stats?.dev} ${stats?.ino} ${isIt ? "" : stats?.ctimeNs}`;
		})
		.join("\n");
}

/** It, and what git runs of it, of its worktrees and of its submodules. */
function filesOf(path: string): string[] {
	const files = gitDirectories(path).flatMap((gitDir) => {
		const hooks = join(gitDir, "hooks");
		const names = ["config", "config.worktree", "commondir", "hooks"].map((name) => join(gitDir, name));
		return [...names, ...namesIn(hooks).map((name) => join(hooks, name))];
	});
	return [path, ...files];
}

function namesIn(directory: string): string[] {
	try {
		return readdirSync(directory).filter((name) => !name.endsWith(".sample"));
	} catch {
		// There are none, or a command has closed it, which changes its time.
		return [];
	}
}
