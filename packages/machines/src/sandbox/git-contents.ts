/**
 * Compares the directory of a repository with the description of what git keeps there (`git-layout.ts`), and sets aside what a command
 * has put there besides. Git outside would write through a link, delete what is behind it, or take what a file says for its own.
 */
import { statfsSync, type BigIntStats } from "node:fs";
import { join } from "node:path";

import { readWritten } from "@tau/sys";

import type { Denial } from "./denial.ts";
import { movedAside, openForOwner } from "./disarm.ts";
import { textOf } from "./git-directories.ts";
import { contentsOf, type Listed, type NamedFile } from "./git-listing.ts";
import { placeOf, type GitPlace } from "./git-layout.ts";
import type { TextPlace, TextRule } from "./git-texts.ts";
import { limits } from "./limits.ts";
import { isAt, stampOf, statsOf, type Stamp } from "./stats-of.ts";

interface SeenDirectory extends Listed {
	/** Undefined if it may have changed in the same tick. */
	readonly stamp: Stamp | undefined;
	readonly isMade: boolean;
	/** The number of the look at which it was there last. */
	look: number;
	/** Whether it was the same at the look before. */
	isSame: boolean;
}

interface Look {
	/** What is found is the user's. */
	readonly isOwn: boolean;
	/** The directories of objects, too: there may be 256, and nothing is written through what is in them. */
	readonly isComplete: boolean;
}

export class GitContents {
	readonly gitDir: string;
	readonly #isWritable: (path: string) => boolean;
	readonly #seen = new Map<string, SeenDirectory>();
	/** By the path of a file with a rule. */
	readonly #stamps = new Map<string, Stamp>();
	readonly #hasTimes: boolean;
	/** Whether there may be references that commands have changed, and that are not looked at yet. */
	#isPending = false;
	#own: ReadonlySet<string> = new Set();
	#repositories: readonly string[];
	#looks = 0;
	/** Directories that commands have made. */
	#made = 0;
	readonly #since = BigInt(Date.now()) * 1_000_000n;

	constructor(gitDir: string, isWritable: (path: string) => boolean) {
		this.gitDir = gitDir;
		this.#isWritable = isWritable;
		this.#repositories = [gitDir];
		this.#hasTimes = hasTimes(gitDir);
	}

	/** Directories that were looked at. */
	get size(): number {
		return this.#seen.size;
	}

	/** This one, and those of its worktrees and submodules, at the last look. */
	get repositories(): readonly string[] {
		return this.#repositories;
	}

	/** Those of them with a rebase or another series of commits that is not at its end. */
	get unfinished(): readonly string[] {
		return this.#repositories.filter((path) =>
			this.#seen.get(path)?.below.some(([name]) => /^(?:rebase-merge|sequencer)$/i.test(name)),
		);
	}

	/** The names of the index and its parts in one of them. */
	indexes(gitDir: string): readonly string[] {
		return this.#seen.get(gitDir)?.indexes ?? [];
	}

	/** What is there now is the user's. */
	keep(): this {
		this.#own = new Set(this.#odd({ isOwn: true, isComplete: false }).map(identityOf));
		return this;
	}

	disarm(isComplete = true): Denial[] {
		const odd = this.#odd({ isOwn: false, isComplete });
		this.#isPending = !isComplete || !this.#hasTimes;
		return odd
			.filter((file) => !this.#own.has(identityOf(file)))
			.flatMap(({ directory, name }) => movedAside(this.gitDir, directory, name));
	}

	#odd(look: Look): NamedFile[] {
		const found: NamedFile[] = [];
		const repositories: string[] = [];
		const queue: (readonly [directory: string, name: string, place: GitPlace])[] = [
			[this.gitDir, "", placeOf(this.gitDir)],
		];
		this.#looks++;
		for (const [directory, name, place] of queue) {
			const path = join(directory, name);
			const isObjects = place.role === "objects";
			if (isObjects && !look.isComplete) continue;
			// A command that makes more directories than git ever does hides nothing in them: they are set aside unseen.
			if (name !== "" && this.#made > limits.newGitDirectories && !look.isOwn && !this.#seen.has(path)) {
				found.push({ directory, name });
				continue;
			}
			const looked = this.#look(path, place, look);
			if (looked === undefined) {
				// Git, which uses relative paths, may reach what is too deep for us.
				if (name !== "" && isTooLong(path)) found.push({ directory, name });
				continue;
			}
			if (looked.place.role === "repository") repositories.push(path);
			// In these, times tell what was there before: they are not looked at when a command starts.
			found.push(...(isObjects ? looked.odd.filter((each) => this.#isNew(each)) : looked.odd));
			// Git replaces references, which changes their directory: what was written over one is found a little later.
			const isSkipped = looked.place.role === "reference" && !look.isComplete && looked.isSame;
			for (const { file, rule } of isSkipped ? [] : looked.texts)
				if (!this.#isDescribed(file, rule, looked.place, look)) found.push(file);
			for (const [below, placeBelow] of looked.below) queue.push([path, below, placeBelow]);
		}
		this.#repositories = repositories.length === 0 ? [this.gitDir] : repositories;
		if (look.isComplete) this.#forget();
		return found;
	}

	/** Directories that are gone, so that a long session does not remember all that ever were. */
	#forget(): void {
		for (const [path, { look, isMade }] of this.#seen) {
			if (look === this.#looks) continue;
			this.#seen.delete(path);
			if (isMade) this.#made--;
		}
		if (this.#stamps.size > limits.rememberedGitFiles) this.#stamps.clear();
	}

	#look(path: string, place: GitPlace, { isOwn }: Look): SeenDirectory | undefined {
		const stats = statsOf(path);
		if (!stats?.isDirectory()) return undefined;
		const seen = this.#seen.get(path);
		if (seen !== undefined && isAt(seen.stamp, stats)) {
			seen.look = this.#looks;
			seen.isSame = true;
			return seen;
		}
		const first = contentsOf(path, place);
		const listed = first ?? (!isOwn && openForOwner(path) ? contentsOf(path, place) : undefined);
		const isMade = seen?.isMade ?? (!isOwn && place.role !== "objects");
		if (isMade && seen === undefined) this.#made++;
		const looked: SeenDirectory = {
			...(listed ?? { place, below: [], odd: [], texts: [], indexes: [] }),
			stamp: isOld(stats) ? stampOf(stats) : undefined,
			isMade,
			look: this.#looks,
			isSame: false,
		};
		this.#seen.set(path, looked);
		return looked;
	}

	#isDescribed(file: NamedFile, rule: TextRule, place: GitPlace, { isOwn }: Look): boolean {
		const path = pathOf(file);
		const key = String(path);
		const known = this.#stamps.get(key);
		const isReference = place.role === "reference";
		// There may be thousands, and those of the user need not be read.
		if (isReference && isOwn && (known !== undefined || this.#isPending)) return true;
		const stats = statsOf(path);
		if (stats === undefined) return !isTooLong(key);
		const isStamped = isReference && isOwn && this.#hasTimes;
		const isSame = isAt(known, stats) && (place.hasPaths !== true || stats.ctimeNs < this.#since);
		if (isSame) return true;
		const at = { directory: file.directory, isWritable: this.#isWritable };
		const isDescribed = isStamped || holds(rule, path, at, place.hasPaths === true);
		if (isDescribed && this.#hasTimes && isOld(stats, settledNs)) this.#stamps.set(key, stampOf(stats));
		else this.#stamps.delete(key);
		return isDescribed;
	}

	#isNew(file: NamedFile): boolean {
		const stats = statsOf(pathOf(file));
		return stats !== undefined && stats.ctimeNs > this.#since - slackNs;
	}
}

/** A rule looks at what a command has named: where that fails, it is not what git writes. */
function holds(rule: TextRule, path: string | Buffer, place: TextPlace, hasPaths: boolean): boolean {
	try {
		const bytes = readWritten(path);
		// The bytes of a name are no path that we could look at.
		const text = bytes === undefined || !hasPaths ? bytes?.toString("utf8") : textOf(bytes);
		return text !== undefined && rule(text, place);
	} catch {
		return false;
	}
}

/** A file that lies in memory keeps its time when it is changed through a mapping. */
export function hasTimes(path: string): boolean {
	try {
		return !inMemory.has(statfsSync(path).type);
	} catch {
		// There is none yet.
		return true;
	}
}

/** tmpfs and ramfs. */
const inMemory: ReadonlySet<number> = new Set([0x01_02_19_94, 0x85_84_58_f6]);

function isTooLong(path: string): boolean {
	return path.length > limits.pathBytes / 4 && Buffer.byteLength(path) >= limits.pathBytes;
}

/** The clock of a file system is coarse: a later change may have the same time. */
const slackNs = 50_000_000n;

/** A process that has a file in memory changes it without a new time, until the kernel has written it: after half a minute. */
const settledNs = 60_000_000_000n;

/** Whether a later change shows in its time. */
export function isSettled(stats: BigIntStats): boolean {
	return isOld(stats, settledNs);
}

function isOld({ ctimeNs }: BigIntStats, afterNs = slackNs): boolean {
	return BigInt(Date.now()) * 1_000_000n - ctimeNs > afterNs;
}

function pathOf({ directory, name }: NamedFile): string | Buffer {
	return typeof name === "string"
		? join(directory, name)
		: Buffer.concat([Buffer.from(`${directory}/`), name]);
}

/** A link in the place of a link, or a changed file, is another one. */
function identityOf(file: NamedFile): string {
	const stats = statsOf(pathOf(file));
	const name = typeof file.name === "string" ? file.name : file.name.toString("latin1");
	return `${file.directory}\0${name}\0${stats?.ino}\0${stats?.ctimeNs}`;
}
