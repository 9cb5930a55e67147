/** Finds the repository of a directory and reads its current branch from the files of `.git`, without starting git. */
import { lstatSync, readlinkSync, realpathSync, statSync, type Stats } from "node:fs";
import { dirname, join, resolve } from "node:path";

import { limits } from "../limits.ts";
import { readSmallFile } from "../small-file.ts";

export interface GitRepository {
	/** The directory that holds `.git`, without symbolic links. */
	readonly root: string;
	/** The directory of HEAD: `.git` itself, or the directory that a `.git` file points to. */
	readonly gitDir: string;
	/** The requested directory relative to `root`, with slashes: empty, or `sub/dir/`. */
	readonly prefix: string;
}

/** `branch` is absent when HEAD is detached, or when the repository stores its refs in another format (reftable). */
export interface GitHead {
	readonly branch?: string;
	readonly isDetached: boolean;
}

/**
 * Looks for `.git` from the directory upwards. A directory that merely contains HEAD, objects and refs is not accepted:
 * such a "bare repository" can be committed to any repository and would bring its own configuration.
 */
export async function findRepository(directory: string): Promise<GitRepository | undefined> {
	const start = realPath(directory);
	if (start === undefined) return undefined;
	for (let root = start; ; root = dirname(root)) {
		const dotGit = join(root, ".git");
		// Most directories have none: nothing is awaited for them, because the sandbox of the first command waits for this.
		const gitDir = statsOf(dotGit) && (await gitDirectoryAt(dotGit));
		if (gitDir !== undefined && (await isGitDirectory(gitDir)))
			return { root, gitDir, prefix: prefixOf(root, start) };
		if (dirname(root) === root) return undefined;
	}
}

/** Undefined when HEAD cannot be read or contains something that git would not write. */
export async function readHead({ gitDir }: Pick<GitRepository, "gitDir">): Promise<GitHead | undefined> {
	const text = (await headText(gitDir))?.trim();
	if (text === undefined) return undefined;
	if (/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(text)) return { isDetached: true };
	const ref = /^ref:\s*refs\/(.+)$/.exec(text)?.[1];
	if (ref === undefined || !refName.test(ref)) return undefined;
	if (ref === reftableHead) return { isDetached: false };
	return { branch: ref.replace(/^heads\//, ""), isDetached: false };
}

/**
 * The target of a `.git` entry: the directory itself, or the target of a worktree's or submodule's `gitdir:` file.
 */
export async function gitDirectoryAt(dotGit: string): Promise<string | undefined> {
	// Not in the thread pool: the first command waits for this, and each answer would wait for whatever else its call starts.
	const info = statsOf(dotGit);
	if (!info || info.isDirectory()) return info && dotGit;
	const pointer = await readSmallFile(dotGit, limits.gitPointerBytes);
	const target = /^gitdir: (.+)/.exec(pointer ?? "")?.[1]?.trim();
	return target === undefined || target === "" ? undefined : resolve(dirname(dotGit), target);
}

/** No characters that git forbids in names of refs; among them are all that could confuse a terminal. */
const refName = /^(?!.*\.\.)[^\s\p{C}~^:?*[\\]+$/u;
/** With reftable HEAD is a dummy file with this content. */
const reftableHead = "heads/.invalid";

async function headText(gitDir: string): Promise<string | undefined> {
	const path = join(gitDir, "HEAD");
	try {
		// Old versions of git made HEAD a symbolic link to the file of the branch, which may not exist yet.
		if (lstatSync(path).isSymbolicLink()) return `ref: ${readlinkSync(path)}`;
	} catch {
		// A HEAD that is missing or unreadable means that there is no repository.
		return undefined;
	}
	return readSmallFile(path, limits.gitPointerBytes);
}

/** The same test as git's own: HEAD, and either its own objects and refs or those of the main repository. */
async function isGitDirectory(gitDir: string): Promise<boolean> {
	if ((await readHead({ gitDir })) === undefined) return false;
	if ((await readSmallFile(join(gitDir, "commondir"), limits.gitPointerBytes)) !== undefined) return true;
	return isDirectory(join(gitDir, "objects")) && isDirectory(join(gitDir, "refs"));
}

function isDirectory(path: string): boolean {
	return statsOf(path)?.isDirectory() === true;
}

function statsOf(path: string): Stats | undefined {
	try {
		return statSync(path, { throwIfNoEntry: false });
	} catch {
		// Unreadable.
		return undefined;
	}
}

function realPath(path: string): string | undefined {
	try {
		return realpathSync.native(path);
	} catch {
		// Missing or unreadable.
		return undefined;
	}
}

function prefixOf(root: string, directory: string): string {
	const below = directory
		.slice(root.length)
		.split(/[/\\]/)
		.filter((name) => name !== "");
	return below.map((name) => `${name}/`).join("");
}
