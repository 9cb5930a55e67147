/**
 * The repositories that the index of another one names. Git looks into them for a plain `git status`, wherever they are: also
 * where no other search comes, as in `node_modules` or beyond the directories that are searched.
 */
import { existsSync, lstatSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

import { GitIndex, readWritten } from "@tau/sys";

import { settingsIn } from "./git-settings.ts";

export class Gitlinks {
	readonly #gitDir: string;
	/** The work tree. */
	readonly #root: string;
	/** When the index was changed last, which no program can set. */
	#changed: bigint | undefined;
	#paths: readonly string[] = [];
	readonly #own: ReadonlySet<string>;

	/** What is there already is the user's. */
	constructor(gitDir: string) {
		this.#gitDir = gitDir;
		this.#root = workTree(gitDir);
		this.#own = new Set(this.#all().filter((path) => existsSync(path)));
	}

	/** The `.git` of each that a command has added. */
	added(): string[] {
		return this.#all().filter((path) => !this.#own.has(path) && existsSync(path));
	}

	#all(): readonly string[] {
		const changed = changedAt(join(this.#gitDir, "index"));
		if (changed !== undefined && changed === this.#changed) return this.#paths;
		this.#changed = changed;
		this.#paths = gitlinksOf(this.#gitDir, this.#root);
		return this.#paths;
	}
}

export function workTree(gitDir: string): string {
	return namedWorkTree(gitDir) ?? dirname(gitDir);
}

/** A submodule names its work tree in its settings, and a worktree its `.git` file. */
export function namedWorkTree(gitDir: string): string | undefined {
	const text = (name: string): string => readWritten(join(gitDir, name))?.toString("utf8") ?? "";
	const file = basename(dirname(gitDir)) === "worktrees" ? text("gitdir").trim() : "";
	if (file !== "") return dirname(resolve(gitDir, file));
	const named = settingsIn(text("config")).findLast(
		({ section, key }) => section === "core" && key === "worktree",
	);
	return named && resolve(gitDir, named.value);
}

/** The `.git` of each repository that the index of another one names; `root` is its work tree. */
export function gitlinksOf(gitDir: string, root: string): string[] {
	return GitIndex.gitlinks(gitDir).map((path) =>
		join(root, Buffer.from(path, "latin1").toString("utf8"), ".git"),
	);
}

function changedAt(path: string): bigint | undefined {
	try {
		return lstatSync(path, { bigint: true, throwIfNoEntry: false })?.ctimeNs;
	} catch {
		// A part of its path is a file, or closed.
		return undefined;
	}
}
