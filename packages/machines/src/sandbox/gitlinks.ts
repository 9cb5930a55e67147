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
	#links: readonly Gitlink[] = [];
	readonly #own: ReadonlySet<string>;

	/** What is there already is the user's. */
	constructor(gitDir: string) {
		this.#gitDir = gitDir;
		this.#root = workTree(gitDir);
		this.#own = new Set(this.#existing().map(({ path }) => path));
	}

	/** Those that a command has added. */
	added(): Gitlink[] {
		return this.#existing().filter(({ path }) => !this.#own.has(path));
	}

	#existing(): Gitlink[] {
		const changed = changedAt(join(this.#gitDir, "index"));
		if (changed === undefined || changed !== this.#changed) this.#links = linksOf(this.#gitDir, this.#root);
		this.#changed = changed;
		return this.#links.filter(exists);
	}
}

/** A repository that an index names. */
export interface Gitlink {
	/** Its `.git`: bytes as latin1 if it is not text. */
	readonly path: string;
	/** The first directory on the way whose name is not text. */
	readonly odd?: { readonly directory: string; readonly name: Buffer };
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

/** The repositories that the index of another one names, as far as they exist; `root` is its work tree. */
export function gitlinksOf(gitDir: string, root: string): Gitlink[] {
	return linksOf(gitDir, root).filter(exists);
}

function linksOf(gitDir: string, root: string): Gitlink[] {
	return GitIndex.gitlinks(gitDir).map((link) => {
		const bytes = Buffer.from(link, "latin1");
		if (isText(bytes)) return { path: join(root, bytes.toString("utf8"), ".git") };
		const names = link.split("/").map((name) => Buffer.from(name, "latin1"));
		const first = names.findIndex((name) => !isText(name));
		const directory = join(root, ...names.slice(0, first).map((name) => name.toString("utf8")));
		const path = Buffer.concat([Buffer.from(`${root}/`), bytes, Buffer.from("/.git")]).toString("latin1");
		return { path, odd: { directory, name: names[first] ?? bytes } };
	});
}

function exists({ path, odd }: Gitlink): boolean {
	return existsSync(odd === undefined ? path : Buffer.from(path, "latin1"));
}

function isText(bytes: Buffer): boolean {
	return Buffer.from(bytes.toString("utf8")).equals(bytes);
}

function changedAt(path: string): bigint | undefined {
	try {
		return lstatSync(path, { bigint: true, throwIfNoEntry: false })?.ctimeNs;
	} catch {
		// A part of its path is a file, or closed.
		return undefined;
	}
}
