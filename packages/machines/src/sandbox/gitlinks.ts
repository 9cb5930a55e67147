/**
 * The repositories that the index of another one names. Git looks into them for a plain `git status`, wherever they are: also
 * where no other search comes, as in `node_modules` or beyond the directories that are searched.
 */
import { existsSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

import { GitIndex, readWritten } from "@tau/sys";

import { linkTarget } from "./disarm.ts";
import { settingsIn } from "./git-settings.ts";
import { statsOf } from "./stats-of.ts";

export class Gitlinks {
	readonly #gitDir: string;
	/** The work tree. */
	readonly #root: string;
	/** When the index was changed last, which no program can set. */
	#changed: bigint | undefined;
	#links: readonly Gitlink[] = [];
	/** By the path: where it leads. */
	#own: ReadonlyMap<string, string> = new Map();

	/** What is there already is the user's. */
	constructor(gitDir: string) {
		this.#gitDir = gitDir;
		this.#root = workTree(gitDir);
		this.keep();
	}

	/** Those of the user. */
	get own(): readonly string[] {
		return [...this.#own.keys()];
	}

	/** What is there now is the user's. */
	keep(): void {
		this.#own = new Map(this.#existing().map((link) => [link.path, leadOf(link)]));
	}

	/** Those that a command has added, or that lead to another repository since. */
	added(): Gitlink[] {
		return this.#existing().filter((link) => this.#own.get(link.path) !== leadOf(link));
	}

	#existing(): Gitlink[] {
		const changed = statsOf(join(this.#gitDir, "index"))?.ctimeNs;
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

/** What a file or a link says. A directory leads nowhere: what git runs there is looked at by its own name. */
function leadOf({ path, odd }: Gitlink): string {
	const at = odd === undefined ? path : Buffer.from(path, "latin1");
	const stats = statsOf(at);
	if (stats?.isDirectory()) return "";
	return stats?.isSymbolicLink() ? `link ${linkTarget(path)}` : `file ${readWritten(at)?.toString("latin1")}`;
}

function exists({ path, odd }: Gitlink): boolean {
	return existsSync(odd === undefined ? path : Buffer.from(path, "latin1"));
}

function isText(bytes: Buffer): boolean {
	return Buffer.from(bytes.toString("utf8")).equals(bytes);
}
