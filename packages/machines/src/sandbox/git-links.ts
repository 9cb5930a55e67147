/**
 * Links in the directory of a repository. Git outside writes through them (messages, logs, the index) and deletes what is behind
 * them (a worktree that is gone, unfinished work): one that a command puts there leads it to any file of the user. Files that
 * name remotes in git's oldest way are the same: `git push` runs hooks of the repository that they lead to.
 */
import { lstatSync, readdirSync, renameSync } from "node:fs";
import { basename, dirname, join } from "node:path";

import { shortId } from "@tau/utils";

import type { Denial } from "./denial.ts";
import { linkTarget, openForOwner, removed } from "./disarm.ts";
import { limits } from "./limits.ts";

interface SeenDirectory {
	/** The time of its last change, which no program can set; undefined if it may have changed in the same tick. */
	readonly changed: bigint | undefined;
	readonly below: readonly string[];
	readonly links: readonly string[];
}

export class GitLinks {
	readonly #gitDir: string;
	readonly #seen = new Map<string, SeenDirectory>();
	#own: ReadonlySet<string> = new Set();
	/** Paths of the user that are not text. */
	readonly #ownOdd = new Set<string>();

	constructor(gitDir: string) {
		this.#gitDir = gitDir;
	}

	/** Those that are there are the user's. */
	keep(): this {
		this.#own = new Set(this.#all(() => false).map(named));
		return this;
	}

	disarm(): Denial[] {
		return this.#all(openForOwner)
			.filter((path) => !this.#own.has(named(path)) && !isHead(path))
			.flatMap((path) => removed(path, "git would use what it leads to"));
	}

	/** Each part has a bound of its own: a command that fills one does not hide what is in the others. */
	#all(open: (path: string) => boolean): string[] {
		const { links, below } = this.#look(this.#gitDir, open);
		const parts = below.filter((path) => written.has(basename(path)));
		return [...links, ...parts.flatMap((path) => this.#below(path, open))];
	}

	#below(part: string, open: (path: string) => boolean): string[] {
		const links: string[] = [];
		const queue = [part];
		for (const [index, directory] of queue.entries()) {
			if (index > limits.searchedDirectories * 4) break;
			const looked = this.#look(directory, open);
			links.push(...looked.links);
			queue.push(...looked.below);
		}
		return links;
	}

	/** Links and directories whose names are not text, through which git goes and we do not, get a name that is. */
	#nameOdd(directory: string, open: (path: string) => boolean): boolean {
		let isNamed = false;
		for (const name of readdirSync(directory, { encoding: "buffer" })) {
			const path = Buffer.concat([Buffer.from(`${directory}/`), name]);
			if (!isOddName(name) || lstatSync(path).isFile()) continue;
			const key = path.toString("latin1");
			if (open !== openForOwner) this.#ownOdd.add(key);
			if (this.#ownOdd.has(key)) continue;
			renameSync(path, join(directory, `odd-${shortId()}`));
			isNamed = true;
		}
		return isNamed;
	}

	#look(directory: string, open: (path: string) => boolean): SeenDirectory {
		const changed = changedAt(directory);
		const seen = this.#seen.get(directory);
		if (seen?.changed !== undefined && seen.changed === changed) return seen;
		// The clock of the file system is coarse: a later change may have the same time.
		const isOld = changed !== undefined && BigInt(Date.now()) - changed / 1_000_000n > 50n;
		const first = contentsOf(directory) ?? (open(directory) ? contentsOf(directory) : undefined);
		const isOdd = [...(first?.below ?? []), ...(first?.links ?? [])].some((path) => path.includes("\ufffd"));
		const contents = isOdd && this.#nameOdd(directory, open) ? contentsOf(directory) : first;
		const looked = { ...(contents ?? nothing), changed: isOld ? changed : undefined };
		this.#seen.set(directory, looked);
		return looked;
	}
}

/** Directories in which git writes or deletes, and those of remotes. */
const written = new Set([
	"remotes",
	"logs",
	"refs",
	"info",
	"objects",
	"worktrees",
	"modules",
	"rr-cache",
	"rebase-apply",
	"rebase-merge",
	"sequencer",
	"branches",
]);

/** Bytes that are not text. */
function isOddName(name: Buffer): boolean {
	return !Buffer.from(name.toString("utf8")).equals(name);
}

const nothing = { below: [], links: [] };

/** Undefined if it cannot be listed. Nothing is written through a link in the place of an object. */
function contentsOf(directory: string): Pick<SeenDirectory, "below" | "links"> | undefined {
	try {
		const entries = readdirSync(directory, { withFileTypes: true });
		const pathsOf = (each: readonly { name: string }[]): string[] =>
			each.map(({ name }) => join(directory, name));
		const isOfObjects = basename(directory) === "objects";
		// Not the references of remotes, `refs/remotes` and `logs/refs/remotes`.
		const isOfRemotes =
			/^(?:remotes|branches)$/.test(basename(directory)) && basename(dirname(directory)) !== "refs";
		return {
			below: pathsOf(
				entries.filter((entry) => entry.isDirectory() && !(isOfObjects && entry.name.length === 2)),
			),
			links: pathsOf(entries.filter((entry) => entry.isSymbolicLink() || (isOfRemotes && entry.isFile()))),
		};
	} catch {
		// It is gone, or closed.
		return undefined;
	}
}

/** As git has made it in the past: a branch. */
function isHead(path: string): boolean {
	return basename(path) === "HEAD" && linkTarget(path)?.startsWith("refs/heads/") === true;
}

function named(path: string): string {
	return `${path}\0${linkTarget(path) ?? changedAt(path)}`;
}

function changedAt(path: string): bigint | undefined {
	try {
		return lstatSync(path, { bigint: true, throwIfNoEntry: false })?.ctimeNs;
	} catch {
		// A command has put something in the place of its directory.
		return undefined;
	}
}
