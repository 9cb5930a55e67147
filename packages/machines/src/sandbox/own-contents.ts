/**
 * What git keeps in repositories of the user besides settings and hooks, where commands write as well: files of git itself,
 * the index, and unfinished work, also in their worktrees and submodules.
 */
import type { Denial } from "./denial.ts";
import { disarmedRebase, rebaseCommands } from "./disarm.ts";
import type { GitContents } from "./git-contents.ts";
import type { IndexPaths } from "./index-paths.ts";
import { limits } from "./limits.ts";
import type { Looker } from "./lookers.ts";
import type { ReachedRepositories } from "./reached-repositories.ts";
import { eachOf } from "./reports.ts";

interface OwnContentsOptions {
	readonly contents: readonly GitContents[];
	readonly indexPaths: IndexPaths;
	readonly reached: ReachedRepositories;
	/** Whether the directory of a repository is the user's, and protected or looked at by what it has. */
	isOfUser(path: string): boolean;
}

export class OwnContents implements Looker {
	readonly #contents: readonly GitContents[];
	readonly #indexPaths: IndexPaths;
	readonly #reached: ReachedRepositories;
	readonly #isOfUser: (path: string) => boolean;
	/** The lines of a rebase in progress that the user has written. */
	#ownCommands: ReadonlySet<string> = new Set();
	/** Whether a look was put off because there are many directories: what commands have made is not known yet. */
	#isPutOff = false;

	constructor({ contents, indexPaths, reached, isOfUser }: OwnContentsOptions) {
		this.#contents = contents;
		this.#indexPaths = indexPaths;
		this.#reached = reached;
		this.#isOfUser = isOfUser;
	}

	keep(): void {
		if (this.#isPutOff) return;
		for (const contents of this.#contents) {
			contents.keep();
			for (const path of contents.repositories) this.#indexPaths.keep(path, contents.indexes(path));
		}
		const unfinished = this.#contents.flatMap((each) => each.unfinished);
		this.#ownCommands = new Set(unfinished.flatMap(rebaseCommands));
	}

	disarm(isComplete: boolean): Denial[] {
		const size = this.#contents.reduce((sum, contents) => sum + contents.size, 0);
		this.#isPutOff = !isComplete && size > limits.gitDirectoriesAtOnce;
		return eachOf(this.#isPutOff ? [] : this.#contents, (contents) => contents.disarm(isComplete));
	}

	/** After files and links of the user are in their places again: an index is compared with them. */
	disarmIndexes(): Denial[] {
		return eachOf(this.#contents, (contents) => this.#disarmedIn(contents));
	}

	/** It, its worktrees and submodules. */
	#disarmedIn(contents: GitContents): Denial[] {
		return [
			...eachOf(contents.unfinished, (path) => disarmedRebase(path, this.#ownCommands)),
			...eachOf(contents.repositories, (path) =>
				// A submodule or worktree that a command has made; git uses it when the user initializes the submodule.
				this.#isOfUser(path)
					? this.#indexPaths.disarm(path, contents.indexes(path))
					: this.#reached.disarmed(path),
			),
		];
	}
}
