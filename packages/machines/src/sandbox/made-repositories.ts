/** Repositories in the project that commands have made, bare ones too; a later command may plant in each of them. */
import { basename, join } from "node:path";

import type { Denial } from "./denial.ts";
import { removed } from "./disarm.ts";
import type { Looker } from "./lookers.ts";
import { disarmedOther, otherSystems } from "./other-systems.ts";
import type { ReachedRepositories } from "./reached-repositories.ts";
import type { Reach } from "./reach.ts";
import { eachOf } from "./reports.ts";
import type { FoundRepository, RepositorySearch } from "./repository-search.ts";
import type { UnreadRepositories } from "./unread-repositories.ts";

interface MadeOptions {
	readonly search: RepositorySearch;
	/** Those that are known already. */
	readonly made: readonly FoundRepository[];
	readonly unread: UnreadRepositories;
	readonly reached: ReachedRepositories;
	readonly reach: Reach;
}

export class MadeRepositories implements Looker {
	readonly #search: RepositorySearch;
	readonly #unread: UnreadRepositories;
	readonly #reached: ReachedRepositories;
	readonly #reach: Reach;
	/** As many as the search looks at directories: one that is not remembered could be armed later. */
	readonly #made: Map<string, FoundRepository>;
	/** Whether it was reported that not all of what commands have made is looked at. */
	#isCut = false;

	constructor({ search, made, unread, reached, reach }: MadeOptions) {
		this.#search = search;
		this.#made = new Map(made.map((each) => [each.path, each]));
		this.#unread = unread;
		this.#reached = reached;
		this.#reach = reach;
	}

	keep(): void {
		this.#unread.keep();
		this.#search.keep();
	}

	disarm(): Denial[] {
		for (const repository of this.#search.appeared())
			if (!repository.isLate || !this.#unread.add(repository.path))
				this.#made.set(repository.path, repository);
		for (const path of this.#unread.changed()) this.#made.set(path, { path, isOlder: false, isLate: true });
		const isNew = this.#search.isCut && !this.#isCut;
		this.#isCut = this.#search.isCut;
		const seen = new Set<string>();
		return [
			...this.#search.renamed(),
			...(isNew ? [{ what: tooManyDirectories, mayRunOutside: false }] : []),
			...eachOf([...this.#made.values()], (repository) => this.#disarmed(repository, seen)),
		];
	}

	#disarmed({ path, isOlder }: FoundRepository, seen: Set<string>): Denial[] {
		if (otherSystems.includes(basename(path)))
			return disarmedOther(path, { isWritable: this.#reach.isWritable, roots: this.#reach.roots });
		return isOlder ? removed(join(path, "HEAD"), bareReason) : this.#reached.disarmed(path, seen);
	}
}

const tooManyDirectories =
	"Commands have made more directories than Tau looks at for repositories: look for a .git in them before you run git there";
const bareReason = "it makes a directory of the project a repository of its own";
