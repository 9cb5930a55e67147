/** Finds repositories inside of directories, and later those that have appeared: a command may have made them. */
import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";

import { readWritten } from "@tau/sys";

import type { Denial } from "./denial.ts";
import { openForOwner } from "./disarm.ts";
import { isBelow } from "./below.ts";
import { isRepositoryWith, realPath } from "./git-directories.ts";
import { limits } from "./limits.ts";
import { OddNames } from "./odd-names.ts";
import { otherSystems } from "./other-systems.ts";
import type { SandboxProfile } from "./profile.ts";
import { promptNamesIn } from "./prompt-names.ts";
import { isAt, stampOf, statsOf, type Stamp } from "./stats-of.ts";

interface Contents {
	readonly below: readonly string[];
	/** Its `node_modules`, which is searched where git does not ignore it: `git add .` looks into repositories there. */
	readonly packages?: string;
	readonly links: readonly string[];
	readonly repositories: readonly string[];
	/** What programs of the user read at a prompt there. */
	readonly prompts: readonly string[];
}

interface SeenDirectory extends Contents {
	/** Undefined if it may have changed in the same tick. */
	readonly stamp: Stamp | undefined;
}

export interface FoundRepository {
	/** A `.git` directory or file, a bare repository, or the directory of another version control system. */
	readonly path: string;
	/** A directory that was there at the first search, and has become a bare repository since. */
	readonly isOlder: boolean;
	/** In a directory that was there at the first search, and that it did not come to: it may be the user's. */
	readonly isLate: boolean;
}

export class RepositorySearch {
	readonly #roots: readonly string[];
	readonly #readOnly: ReadonlySet<string>;
	readonly #seen = new Map<string, SeenDirectory>();
	readonly #known = new Set<string>();
	readonly #promptFiles = new Set<string>();
	readonly #latePromptFiles = new Set<string>();
	readonly #elsewhere: readonly string[];
	readonly #promptNames: ReadonlySet<string>;
	readonly #oddNames = new OddNames();
	/** Links that were there at the first search. */
	#ownLinks: ReadonlySet<string> | undefined;
	/** The directories of the first search. */
	#older: ReadonlySet<string> | undefined;
	/** Those that there were, too, and that it did not come to. */
	readonly #unsearched = new Set<string>();
	/** Whether there are more new directories than are looked at. */
	#isCut = false;

	/** Commands cannot write below `readOnly`. To `cacheDir`, only links are followed. */
	constructor(
		roots: readonly string[],
		readOnly: ReadonlySet<string> = new Set(),
		{ cacheDir, envFiles = [] }: Pick<SandboxProfile, "cacheDir" | "envFiles"> = {},
	) {
		this.#promptNames = new Set(envFiles.map((name) => basename(name)));
		this.#roots = roots;
		this.#readOnly = readOnly;
		this.#elsewhere = cacheDir === undefined ? [] : [cacheDir];
	}

	/** Directories that were searched. */
	get size(): number {
		return this.#seen.size;
	}

	/** Whether commands have made more directories than are looked at. */
	get isCut(): boolean {
		return this.#isCut;
	}

	/** Files that programs of the user read at the prompt of a shell, as far as there were some in a directory that was searched. */
	get promptFiles(): ReadonlySet<string> {
		return this.#promptFiles;
	}

	/** What is there in directories whose names are not text is the user's. */
	keep(): void {
		this.#oddNames.keep();
	}

	/** Such directories that have got another name since the last call. */
	renamed(): Denial[] {
		return this.#oddNames.take();
	}

	/** Those of them in directories that were there at the first search, and that it did not come to: they may be the user's. */
	get latePromptFiles(): ReadonlySet<string> {
		return this.#latePromptFiles;
	}

	/** Those that were not there at the last call. */
	appeared(): FoundRepository[] {
		const found: FoundRepository[] = [];
		this.#isCut = false;
		// However many directories a command makes, those that were there before are looked at.
		const newer: string[] = [];
		const packages: string[] = [];
		const late: string[] = [];
		this.#search([...this.#roots], found, packages, newer, late);
		this.#search(newer, found, packages);
		this.#search(late, found, packages, late, late);
		// A repository of Mercurial has others inside, wherever its `.hgsub` says. Those of git are in its index.
		const areAllSearched = [...this.#known].some((path) => path.endsWith("/.hg"));
		const isIgnored = areAllSearched ? () => false : ignoredPackages(this.#roots);
		const linked = this.#linked();
		for (const path of linked) this.#lookAbove(path, found);
		const queue = [...packages.filter((path) => !isIgnored(path)), ...linked];
		this.#search(queue, found, areAllSearched ? queue : []);
		this.#older ??= new Set(this.#seen.keys());
		this.#oddNames.areKnown = true;
		return found;
	}

	/** Where links of the project lead that no other search comes to: the user may go there by them. */
	#linked(): string[] {
		const links = [...this.#seen.values()].flatMap((seen) => seen.links);
		this.#ownLinks ??= new Set(links);
		const own = links.filter((link) => this.#ownLinks?.has(link) === true).slice(0, limits.followedLinks);
		const made = links.filter((link) => this.#ownLinks?.has(link) === false).slice(0, limits.madeLinks);
		const targets = new Set([...made, ...own].map((link) => realPath(link) ?? ""));
		for (const link of made) this.#oddNames.removeLink(link);
		return [...targets].filter((path) => this.#isUnsearched(path));
	}

	#isUnsearched(path: string): boolean {
		const isIn = (root: string): boolean => isBelow(path, root);
		return this.#elsewhere.some(isIn) || (unsearched.test(path) && this.#roots.some(isIn));
	}

	/** Git looks for a repository in the directories above as well. */
	#lookAbove(directory: string, found: FoundRepository[]): void {
		for (let at = dirname(directory); this.#isUnsearched(at); at = dirname(at))
			this.#add(this.#look(at).repositories, found, false);
	}

	/** `newer` and `late` get those below that were not there at the first search, and those that it did not come to. */
	#search(
		queue: string[],
		found: FoundRepository[],
		packages: string[] = [],
		newer = queue,
		late: string[] = [],
	): void {
		const most = limits.searchedDirectories * 4;
		let looks = 0;
		// Those nearest to the root first: there the user is likely to run git.
		for (const directory of queue) {
			if (++looks > most) break;
			const { below, repositories, prompts, packages: modules } = this.#look(directory);
			if (queue === late) for (const path of prompts) this.#latePromptFiles.add(path);
			if (modules !== undefined && !this.#readOnly.has(modules)) packages.push(modules);
			for (const path of below) {
				if (this.#readOnly.has(path)) continue;
				const isNew = this.#older?.has(path) === false;
				const list = isNew ? (this.#unsearched.has(path) ? late : newer) : queue;
				if (list.length < most) list.push(path);
				else if (this.#older === undefined) this.#unsearched.add(path);
				else if (list !== late) this.#isCut = true;
			}
			this.#add(repositories, found, queue === late);
		}
	}

	#add(repositories: readonly string[], found: FoundRepository[], isLate: boolean): void {
		for (const path of repositories) {
			if (this.#known.has(path)) continue;
			this.#known.add(path);
			found.push({ path, isOlder: this.#older?.has(path) === true, isLate });
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
		for (const path of looked.prompts) this.#promptFiles.add(path);
		return looked;
	}

	/** What a command has closed so that it cannot be listed is opened: git needs no list to find a repository in it. */
	#contentsOf(directory: string): Contents {
		const first = contentsOf(directory, this.#promptNames);
		const isOdd = [first?.below, first?.links].flat().some((path) => path?.includes("\ufffd") === true);
		const contents =
			isOdd && this.#oddNames.rename(directory) ? contentsOf(directory, this.#promptNames) : first;
		const isClosed = contents === undefined && this.#older !== undefined && openForOwner(directory);
		return contents ?? (isClosed ? contentsOf(directory, this.#promptNames) : undefined) ?? nothing;
	}
}

/** What no search comes to without a link. */
const unsearched = /\/(?:node_modules|\.git)(?:\/|$)/;

const nothing: SeenDirectory = { stamp: undefined, below: [], links: [], repositories: [], prompts: [] };

/** Undefined if it cannot be listed. */
function contentsOf(directory: string, promptNames: ReadonlySet<string>): Contents | undefined {
	let packages: string | undefined;
	const below: string[] = [];
	const links: string[] = [];
	const prompts: string[] = [];
	const names = new Set<string>();
	const isPrompt = promptNamesIn(directory, promptNames);
	try {
		for (const entry of readdirSync(directory, { withFileTypes: true })) {
			// Some file systems do not tell small letters from capitals.
			const name = entry.name.toLowerCase();
			const isOther = name === ".git" && isOtherThanGit(directory, entry.name);
			if (!isOther) names.add(name);
			const isLink = entry.isSymbolicLink();
			if (isLink) links.push(join(directory, entry.name));
			if (isPrompt(entry.name, isLink)) prompts.push(join(directory, entry.name));
			if (!entry.isDirectory() || (name === ".git" && !isOther)) continue;
			const path = join(directory, entry.name);
			if (entry.name === "node_modules") packages = path;
			else below.push(path);
		}
	} catch {
		// It is gone, or not readable.
		return undefined;
	}
	const repositories = [".git", ...otherSystems]
		.filter((name) => names.has(name))
		.map((name) => join(directory, name));
	// As git recognizes one: a directory with these is a repository itself.
	return {
		below,
		links,
		prompts,
		...(packages === undefined ? {} : { packages }),
		repositories: isRepositoryWith(names) ? [...repositories, directory] : repositories,
	};
}

/** A directory `.GIT`, where that is another one than `.git`. */
function isOtherThanGit(directory: string, name: string): boolean {
	if (name === ".git") return false;
	const [own, git] = [name, ".git"].map((each) => statsOf(join(directory, each)));
	return own?.ino !== git?.ino;
}

/**
 * Whether a line of a `.gitignore` says so, as nearly every project has it, and none nearer may say otherwise. That of a project
 * does not count in the repositories inside of it.
 */
function ignoredPackages(roots: readonly string[]): (path: string) => boolean {
	const known = new Map<string, Ignored>();
	const isIgnoredIn = (directory: string, isAbove: boolean): boolean => {
		const ignored = known.get(directory) ?? ignoredIn(directory);
		known.set(directory, ignored);
		if (ignored === "everywhere" || (ignored === "here" && !isAbove)) return true;
		const isTop = roots.includes(directory) || statsOf(join(directory, ".git")) !== undefined;
		return ignored !== "unknown" && !isTop && isIgnoredIn(dirname(directory), true);
	};
	return (path) => isIgnoredIn(dirname(path), false);
}

type Ignored = "everywhere" | "here" | "nowhere" | "unknown";

function ignoredIn(directory: string): Ignored {
	const text = readWritten(join(directory, ".gitignore"))?.toString("latin1") ?? "";
	const lines = text.split("\n").map((line) => line.replace(/\r$/, ""));
	const has = (pattern: RegExp): boolean => lines.some((line) => pattern.test(line));
	// A pattern that takes something out again may mean anything.
	if (has(/^!(?:.*node_modules|.*[^\w./-])/)) return "unknown";
	if (has(/^(?:\*\*\/)?node_modules\/?$/)) return "everywhere";
	return has(/^\/node_modules\/?$/) ? "here" : "nowhere";
}
