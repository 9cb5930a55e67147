/** Finds repositories inside of directories, and later those that have appeared: a command may have made them. */
import { readdirSync } from "node:fs";
import { join } from "node:path";

import { openForOwner } from "./disarm.ts";
import { limits } from "./limits.ts";
import { OddNames } from "./odd-names.ts";
import { isAt, stampOf, statsOf, type Stamp } from "./stats-of.ts";

interface SeenDirectory {
	/** Undefined if it may have changed in the same tick. */
	readonly stamp: Stamp | undefined;
	readonly below: readonly string[];
	readonly repositories: readonly string[];
	/** A `node_modules`, if there is one. */
	readonly modules: readonly string[];
}

type Contents = Omit<SeenDirectory, "stamp">;

export interface FoundRepository {
	/** A `.git` directory or file, a bare repository, or the directory of another version control system. */
	readonly path: string;
	/** A directory that was there at the first search, and has become a bare repository since. */
	readonly isOlder: boolean;
}

export class RepositorySearch {
	readonly #roots: readonly string[];
	readonly #readOnly: ReadonlySet<string>;
	readonly #seen = new Map<string, SeenDirectory>();
	readonly #known = new Set<string>();
	readonly #oddNames = new OddNames();
	/** The directories of the first search. */
	#older: ReadonlySet<string> | undefined;

	/** Commands cannot write below `readOnly`. */
	constructor(roots: readonly string[], readOnly: ReadonlySet<string> = new Set()) {
		this.#roots = roots;
		this.#readOnly = readOnly;
	}

	/** Directories that were searched. */
	get size(): number {
		return this.#seen.size;
	}

	/** Those that were not there at the last call. */
	appeared(): FoundRepository[] {
		const found: FoundRepository[] = [];
		// However many directories a command makes, those that were there before are looked at.
		const newer: string[] = [];
		this.#search([...this.#roots], found, newer);
		this.#search(newer, found);
		this.#older ??= new Set(this.#seen.keys());
		found.push(...this.#inModules());
		this.#oddNames.areKnown = true;
		return found;
	}

	/** A repository of Mercurial has others inside, wherever its `.hgsub` says. Those of git are in its index. */
	#inModules(): FoundRepository[] {
		if (![...this.#known].some(isMercurial)) return [];
		const found: FoundRepository[] = [];
		const queue = [...this.#seen.values()].flatMap(({ modules }) => modules);
		this.#search(queue, found, queue, true);
		return found.filter(({ path }) => isMercurial(path));
	}

	#search(queue: string[], found: FoundRepository[], newer = queue, entersModules = false): void {
		// Those nearest to the root first: there the user is likely to run git.
		for (const directory of queue) {
			if (queue.length > limits.searchedDirectories * 4) break;
			const { below, modules, repositories } = this.#look(directory);
			for (const path of [...below, ...(entersModules ? modules : [])].filter(
				(each) => !this.#readOnly.has(each),
			))
				(this.#older?.has(path) === false ? newer : queue).push(path);
			for (const path of repositories) {
				if (this.#known.has(path)) continue;
				this.#known.add(path);
				found.push({ path, isOlder: this.#older?.has(path) === true });
			}
		}
	}

	#look(directory: string): SeenDirectory {
		const stats = statsOf(directory);
		if (!stats?.isDirectory()) {
			this.#seen.delete(directory);
			return nothing;
		}
		const seen = this.#seen.get(directory);
		if (seen !== undefined && isAt(seen.stamp, stats)) return seen;
		// The clock of the file system is coarse: a later change may have the same time.
		const isOld = BigInt(Date.now()) - stats.ctimeNs / 1_000_000n > 50n;
		const contents = this.#contentsOf(directory);
		// What is made in a directory whose name is not text does not show here.
		const isOdd = contents.below.some((path) => path.includes("\ufffd"));
		const looked = { ...contents, stamp: isOld && !isOdd ? stampOf(stats) : undefined };
		// What is gone may come back as something else.
		for (const path of seen?.repositories ?? [])
			if (!looked.repositories.includes(path)) this.#known.delete(path);
		this.#seen.set(directory, looked);
		return looked;
	}

	/** What a command has closed so that it cannot be listed is opened: git needs no list to find a repository in it. */
	#contentsOf(directory: string): Contents {
		const first = contentsOf(directory);
		const isOdd = first?.below.some((path) => path.includes("\ufffd")) === true;
		const contents = isOdd && this.#oddNames.rename(directory) ? contentsOf(directory) : first;
		const isClosed = contents === undefined && this.#older !== undefined && openForOwner(directory);
		return contents ?? (isClosed ? contentsOf(directory) : undefined) ?? nothing;
	}
}

/** Where Mercurial and others keep a repository, beside its files. */
export const otherSystems: readonly string[] = [".hg", ".sl", ".jj", ".pijul", "_darcs"];

function isMercurial(path: string): boolean {
	return path.endsWith("/.hg");
}

const nothing: SeenDirectory = { stamp: undefined, below: [], repositories: [], modules: [] };

/** Undefined if it cannot be listed. */
function contentsOf(directory: string): Contents | undefined {
	const below: string[] = [];
	const modules: string[] = [];
	const names = new Set<string>();
	try {
		for (const entry of readdirSync(directory, { withFileTypes: true })) {
			// Some file systems do not tell small letters from capitals.
			names.add(entry.name.toLowerCase());
			if (!entry.isDirectory() || entry.name.toLowerCase() === ".git") continue;
			(entry.name === "node_modules" ? modules : below).push(join(directory, entry.name));
		}
	} catch {
		// It is gone, or not readable.
		return undefined;
	}
	const repositories = [".git", ...otherSystems]
		.filter((name) => names.has(name))
		.map((name) => join(directory, name));
	// As git recognizes one: a directory with these is a repository itself.
	const isBare = names.has("head") && (names.has("commondir") || (names.has("objects") && names.has("refs")));
	return { below, modules, repositories: isBare ? [...repositories, directory] : repositories };
}
