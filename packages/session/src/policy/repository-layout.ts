/**
 * Whether a `.git` is of the kind that `git init`, `git clone`, `git worktree` and submodules make: then git and Tau agree on which
 * repository it is, and git reads no file through it that is elsewhere.
 */
import {
	accessSync,
	constants,
	lstatSync,
	readdirSync,
	readFileSync,
	realpathSync,
	type Dirent,
} from "node:fs";
import { dirname, join, resolve } from "node:path";

import { limits } from "./limits.ts";
import { isUnreadable, realPath } from "./real-path.ts";

/** The directory that worktrees share, or what is unusual about the repository, for a sentence: `has …`. */
export type Layout = { readonly common: string } | { readonly unusual: string };

/** `root`: the working tree, whose `.git` is this directory, or a file that leads to it. */
export function layoutOf(root: string, gitDir: string): Layout {
	const pointer = join(root, ".git");
	const info = entryOf(pointer);
	if (info?.isSymbolicLink()) return { unusual: "is a link" };
	const common = info?.isFile()
		? commonBehind(pointer, gitDir)
		: entryOf(join(gitDir, "commondir"))
			? undefined
			: gitDir;
	if (common === undefined) return { unusual: "leads to another repository" };
	if (!isHead(join(gitDir, "HEAD"))) return { unusual: "has a HEAD that git has not written" };
	if (![join(common, "objects"), join(common, "refs")].every(isOpen))
		return { unusual: "lacks what makes it a repository" };
	// Those of a worktree are below what it shares with others.
	const odd = oddEntry(common);
	return odd === undefined ? { common } : { unusual: odd };
}

/** What a `.git` file leads to must lead back to it, as worktrees and submodules do. */
function commonBehind(pointer: string, gitDir: string): string | undefined {
	const [, target] = /^gitdir: ([^\s](?:[^\r\n]*[^\s])?)\r?\n*$/.exec(shortText(pointer) ?? "") ?? [];
	if (target === undefined) return undefined;
	const given = target.startsWith("/") ? target : `${dirname(pointer)}/${target}`;
	// `link/..` is elsewhere for the system than in the words.
	if (realOf(given) !== realPath(gitDir)) return undefined;
	if (!entryOf(join(gitDir, "commondir"))) return gitDir;
	if (shortText(join(gitDir, "commondir"))?.trim() !== "../..") return undefined;
	const back = shortText(join(gitDir, "gitdir"))?.trim();
	if (back === undefined || realPath(resolve(gitDir, back)) !== realPath(pointer)) return undefined;
	return dirname(dirname(gitDir));
}

/** Git looks further, also for another repository, where it does not take this one for a repository. */
function isHead(path: string): boolean {
	const text = entryOf(path)?.isFile() ? (shortText(path) ?? "") : "";
	return /^(?:ref: refs\/[^\s\0]+|[0-9a-f]{40}|[0-9a-f]{64})\n?$/.test(text);
}

function isOpen(directory: string): boolean {
	try {
		accessSync(directory, constants.X_OK);
		return lstatSync(directory).isDirectory();
	} catch {
		// Git does not take it for a repository either.
		return false;
	}
}

/** Git reads nothing below them but hooks, which are looked at on their own. */
const closedDirectories = new Set(["lfs", "annex", "hooks"]);

/**
 * Links and other odd entries, also in the repositories of submodules, to which git goes without their working trees; one with
 * too many entries to look at may have them.
 */
function oddEntry(gitDir: string): string | undefined {
	const pending = [gitDir];
	const tops = new Set([gitDir]);
	for (let entries = 0; pending.length > 0;) {
		const at = pending.pop() ?? "";
		const entriesHere = listing(at);
		if (
			at !== gitDir &&
			["HEAD", "objects"].every((name) => entriesHere.some((entry) => entry.name === name))
		)
			tops.add(at);
		entries += entriesHere.length;
		if (entries > limits.repositoryEntries) return "has too many files to look at";
		for (const entry of entriesHere) {
			const path = join(at, entry.name);
			if (entry.isSymbolicLink()) return `has the link ${entry.name}`;
			if (!entry.isFile() && !entry.isDirectory() && !entry.isSocket())
				return `has ${entry.name}, which is no file`;
			if (!entry.isDirectory()) continue;
			if (isUnreadable(entry.name)) return "has a directory whose name is not text";
			const isTop = tops.has(at);
			if (isTop && entry.name === "worktrees")
				for (const { name } of listing(path)) tops.add(join(path, name));
			// There are many objects, and a link to one of them leads to nothing else.
			if (at.endsWith("/objects") && /^[0-9a-f]{2}$/.test(entry.name) && tops.has(dirname(at))) continue;
			if (!isTop || !closedDirectories.has(entry.name)) pending.push(path);
		}
	}
	return [...tops].some(borrows) ? "takes objects from another repository" : undefined;
}

/** Those of another repository, whatever the lines say: git follows them further, and reads names in quotes. */
function borrows(gitDir: string): boolean {
	const info = entryOf(join(gitDir, "objects/info/alternates"));
	return info !== undefined && (!info.isFile() || info.size > 0);
}

function listing(directory: string): Dirent[] {
	try {
		return readdirSync(directory, { withFileTypes: true });
	} catch {
		// Git cannot list it either.
		return [];
	}
}

function entryOf(path: string): ReturnType<typeof lstatSync> {
	try {
		return lstatSync(path, { throwIfNoEntry: false });
	} catch {
		return undefined;
	}
}

function shortText(path: string): string | undefined {
	try {
		const info = lstatSync(path);
		return info.isFile() && info.size <= limits.pointerBytes ? readFileSync(path, "utf8") : undefined;
	} catch {
		// It is not there, or git cannot read it either.
		return undefined;
	}
}

function realOf(path: string): string | undefined {
	try {
		return realpathSync.native(path);
	} catch {
		// It leads nowhere.
		return undefined;
	}
}
