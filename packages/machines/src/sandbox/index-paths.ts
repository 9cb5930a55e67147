/**
 * Paths in git's own files that lead out of the work tree or into a repository. Git checks those of commits, and takes its index as
 * it is: `git checkout .` and `git stash` would write a hook or a file outside, or over one that is protected. What `MERGE_RR` names is copied into the repository.
 */
import { lstatSync, renameSync, type BigIntStats } from "node:fs";
import { join } from "node:path";

import { GitIndex, HeldDirectory, readWritten } from "@tau/sys";
import { errorCode, shortId } from "@tau/utils";

import type { Denial } from "./denial.ts";
import { removed } from "./disarm.ts";
import type { ClosedPaths } from "./closed-paths.ts";
import { isWithoutLinks, realPath, textOf } from "./git-directories.ts";
import { workTree } from "./gitlinks.ts";

export class IndexPaths {
	/** By the directory of the repository: when its index was changed last, as far as that was looked at. */
	readonly #seen = new Map<string, string>();
	readonly #closed: ClosedPaths | undefined;
	/** By the directory of the repository: what the user's index has of files that commands cannot write. */
	readonly #own = new Map<string, ReadonlyMap<string, string>>();
	/** Indexes, by their directories, that have what is there of files which are looked at later. */
	readonly #unsettled = new Map<string, readonly string[]>();

	constructor(closed?: ClosedPaths) {
		this.#closed = closed;
	}

	/** What is there is the user's. `names`: the index, and the parts that a split one shares. */
	keep(gitDir: string, names: readonly string[]): void {
		const now = changes(gitDir, names);
		if (this.#seen.get(gitDir) === now) return;
		this.#seen.set(gitDir, now);
		if (this.#closed) this.#own.set(gitDir, this.#closed.versions(gitDir, names));
	}

	disarm(gitDir: string, names: readonly string[]): Denial[] {
		const resolutions = disarmedResolutions(gitDir);
		const now = changes(gitDir, names);
		if (this.#seen.get(gitDir) === now) return resolutions;
		const odd = names.filter((name) => leadsOut(gitDir, name));
		const replaced = odd.flatMap((name) => replacedIndex(gitDir, name));
		const other = replaced.length > 0 ? [] : this.#disarmedVersions(gitDir, names);
		this.#seen.set(gitDir, changes(gitDir, names));
		return [...resolutions, ...replaced, ...other];
	}

	/** What was the same as a file may differ from it, when that was looked at and taken back. */
	disarmUnsettled(): Denial[] {
		const all = [...this.#unsettled];
		this.#unsettled.clear();
		return all.flatMap(([gitDir, names]) => {
			const denials = this.#disarmedVersions(gitDir, names);
			this.#seen.set(gitDir, changes(gitDir, names));
			return denials;
		});
	}

	/** Git of the user would write them over the files. */
	#disarmedVersions(gitDir: string, names: readonly string[]): Denial[] {
		const own = this.#own.get(gitDir);
		if (own === undefined || this.#closed === undefined) return [];
		const { path, isUnsettled } = this.#closed.differences(gitDir, names, own);
		if (isUnsettled) this.#unsettled.set(gitDir, names);
		else this.#unsettled.delete(gitDir);
		if (path === undefined) return [];
		const why = `has another version of ${path === "" ? "files" : path}, which commands cannot change`;
		return names.flatMap((name) => replacedIndex(gitDir, name, why));
	}
}

function leadsOut(gitDir: string, name: string): boolean {
	const paths = GitIndex.paths(join(gitDir, name));
	return paths === undefined || paths.some((path) => GitIndex.leadsOut(path));
}

/** Without an index, git takes no file for tracked. */
export function replacedIndex(
	gitDir: string,
	name: string,
	why = "names files outside of the work tree",
): Denial[] {
	const path = join(gitDir, name);
	try {
		using directory = HeldDirectory.open(gitDir);
		renameSync(directory.at(name), directory.at(`odd-${name}-${shortId()}`));
		return [{ what: `${path} was set aside: it ${why}. Run git reset`, mayRunOutside: false }];
	} catch (error) {
		// Git has removed it since it was listed: it could not be read for that reason.
		if (errorCode(error) === "ENOENT") return [];
		const what = `${path} ${why}, and could not be set aside (${String(error)})`;
		return [{ what, mayRunOutside: false }];
	}
}

/** The files whose resolved conflicts git keeps at the next commit, in a directory that commands can read. */
function disarmedResolutions(gitDir: string): Denial[] {
	const path = join(gitDir, "MERGE_RR");
	if (statsOf(path) === undefined) return [];
	const bytes = readWritten(path);
	const text = bytes && textOf(bytes);
	const root = realPath(workTree(gitDir)) ?? "";
	const isOwn = (name: string): boolean => !GitIndex.leadsOut(name) && isWithoutLinks(join(root, name));
	if (text !== undefined && resolved.test(text) && namesIn(text).every(isOwn)) return [];
	return removed(path, "git would copy files that it names into the repository");
}

/** As git writes it: the conflict's hash with a number, and the path. */
const resolved = /^(?:[0-9a-f]{40}(?:[0-9a-f]{24})?(?:\.[0-9]+)?\t[^\0]+\0)*$/;

function namesIn(text: string): string[] {
	return text
		.split("\0")
		.slice(0, -1)
		.map((line) => line.slice(line.indexOf("\t") + 1));
}

/** When each part was changed last, which no program can set. */
function changes(gitDir: string, names: readonly string[]): string {
	return names
		.map((name) => {
			const info = statsOf(join(gitDir, name));
			return `${name} ${info?.ino} ${info?.ctimeNs}`;
		})
		.join("\n");
}

function statsOf(path: string): BigIntStats | undefined {
	try {
		return lstatSync(path, { bigint: true, throwIfNoEntry: false });
	} catch {
		// A command has put a file in the place of the directory, or it is a worktree's `.git`.
		return undefined;
	}
}
