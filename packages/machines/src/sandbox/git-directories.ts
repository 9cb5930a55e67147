/**
 * Finds the directories of a repository in which git looks for settings, hooks and unfinished work: its own, those of its
 * worktrees and of all submodules; and reads the files that lead git from one directory to another.
 */
import { existsSync, readdirSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";

import { readWritten } from "@tau/sys";

import { limits } from "./limits.ts";
import { statsOf } from "./stats-of.ts";

/** Returns whether it could be opened for us: a command may have closed a directory, which git needs no list of. */
type Opener = (path: string) => boolean;

export function gitDirectories(gitDir: string, open: Opener = () => false): string[] {
	const found = [gitDir];
	for (const path of found) {
		if (found.length > limits.searchedDirectories) break;
		// A worktree has none of its own, and submodules have both.
		const worktrees = namesIn(join(path, "worktrees"), open).map((name) => join(path, "worktrees", name));
		found.push(...worktrees, ...modulesIn(join(path, "modules"), open));
	}
	return found;
}

/** Submodules with a slash in their names are deeper. */
function modulesIn(directory: string, open: Opener): string[] {
	const found: string[] = [];
	const queue = [directory];
	for (const path of queue) {
		if (queue.length > limits.searchedDirectories * 4) break;
		const names = namesIn(path, open);
		if (path !== directory && isRepositoryWith(new Set(names.map((name) => name.toLowerCase()))))
			found.push(path);
		else queue.push(...names.map((name) => join(path, name)));
	}
	return found;
}

/** Git wants all of these, and that a `HEAD` is one. Some file systems do not tell small letters from capitals. */
export function isRepositoryWith(lowerNames: ReadonlySet<string>): boolean {
	const isWhole = lowerNames.has("objects") && lowerNames.has("refs");
	return lowerNames.has("head") && (isWhole || lowerNames.has("commondir"));
}

function namesIn(path: string, open: Opener): string[] {
	const list = (): string[] | undefined => {
		try {
			return readdirSync(path);
		} catch {
			// There is none, or it is a file, or closed.
			return undefined;
		}
	};
	if (!existsSync(path)) return [];
	return list() ?? (open(path) ? list() : undefined) ?? [];
}

/** Git reads a `.git` file or `commondir` byte by byte, to its end: one that we might read otherwise is `odd`. */
export type Pointer = { readonly target: string } | "odd" | undefined;

/** Undefined where git finds nothing to follow. */
export function pointerAt(path: string): Pointer {
	if (statsOf(path) === undefined) return undefined;
	const bytes = readWritten(path);
	if (bytes === undefined) return "odd";
	const prefix = basename(path) === "commondir" ? "" : "gitdir: ";
	if (bytes.toString("latin1", 0, prefix.length) !== prefix) return undefined;
	const text = textOf(bytes)?.slice(prefix.length);
	const target = /^([^\0\r\n]*[^\0\s])[\r\n]*$/.exec(text ?? "")?.[1];
	return target === undefined || goesBack(target) ? "odd" : { target };
}

/** Undefined if the bytes are no text: another path would be looked at than the one that git uses. */
export function textOf(bytes: Buffer): string | undefined {
	const text = bytes.toString("utf8");
	return text.includes("\ufffd") && !Buffer.from(text).equals(bytes) ? undefined : text;
}

/** `link/..` is not the directory of the link, as `resolve` takes it, but the one above what it leads to. Git writes no such path. */
export function goesBack(path: string): boolean {
	const parts = path.split("/").filter((part) => part !== "" && part !== ".");
	const first = parts.findIndex((part) => part !== "..");
	return first >= 0 && parts.includes("..", first);
}

/** Whether a path means to git what it means here: nothing on it that is there is a link. */
export function isWithoutLinks(path: string): boolean {
	if (Buffer.byteLength(path) >= limits.pathBytes) return false;
	let at = path;
	while (statsOf(at) === undefined && at !== "/") at = dirname(at);
	return realPath(at) === at;
}

/** Each process finds others of its own there, such as its working directory. */
export function isSameForAll(path: string): boolean {
	return !/^\/(?:proc|dev|sys)(?:\/|$)/.test(path);
}

/** Without links. Undefined if it is not there, or its name is not text. */
export function realPath(path: string): string | undefined {
	try {
		return textOf(realpathSync.native(path, { encoding: "buffer" }));
	} catch {
		return undefined;
	}
}
