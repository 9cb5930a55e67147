/** What git needs to write for a project, and what must not be written: code that git runs later, outside. */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

import { findRepository } from "../git/index.ts";
import { limits } from "./limits.ts";

export interface GitPaths {
	/** The working tree, if the project is a part of it, and the directories of the repository. */
	readonly writable: readonly string[];
	readonly readOnly: readonly string[];
}

export async function gitPaths(cwd: string, home: string): Promise<GitPaths> {
	const repository = await findRepository(cwd);
	if (!repository) return { writable: [], readOnly: [] };
	const { root, gitDir } = repository;
	const common = commonDirectory(gitDir);
	// A home directory that is a repository does not make all of it a project.
	const holdsHome = `${home}/`.startsWith(`${root === "/" ? "" : root}/`);
	const tree = holdsHome ? [] : [root];
	const dotGit = join(root, ".git");
	return {
		writable: [...tree, gitDir, common],
		readOnly: [
			...(isDirectory(dotGit) ? [] : [dotGit]),
			...codeOf(common),
			...codeOf(gitDir),
			...submodules(root, common),
		],
	};
}

/** The directory that worktrees share; the repository's own one otherwise. */
function commonDirectory(gitDir: string): string {
	const pointer = smallText(join(gitDir, "commondir"))?.trim();
	return pointer ? resolve(gitDir, pointer) : gitDir;
}

/** Git runs hooks, and commands that are named in its configuration. */
function codeOf(gitDir: string): string[] {
	const hooks = join(gitDir, "hooks");
	// What does not exist cannot be protected, and an empty directory of hooks means nothing to git.
	if (existsSync(join(gitDir, "config")) && !existsSync(hooks)) tryMkdir(hooks);
	const files = ["config", "config.worktree", "commondir", "gitdir"].map((name) => join(gitDir, name));
	return [hooks, ...files].filter((path) => existsSync(path));
}

/** Of each submodule: its `.git` file, and what git runs in its directory. */
function submodules(root: string, common: string): string[] {
	const names = smallText(join(root, ".gitmodules")) ?? "";
	const links = [...names.matchAll(/^\s*path\s*=\s*(.+?)\s*$/gm)].slice(0, limits.submodules);
	const files = links.map(([, path = ""]) => resolve(root, path, ".git")).filter((path) => existsSync(path));
	const inside = files.filter((path) => path.startsWith(`${root}/`));
	return [...inside, ...moduleDirectories(join(common, "modules")).flatMap(codeOf)];
}

/** Submodules may have a slash in their names, and submodules of their own. */
function moduleDirectories(directory: string, depth = 0): string[] {
	if (depth > limits.submoduleDepth || !isDirectory(directory)) return [];
	if (existsSync(join(directory, "HEAD")))
		return [directory, ...moduleDirectories(join(directory, "modules"), depth + 1)];
	return readdirSync(directory)
		.slice(0, limits.submodules)
		.flatMap((name) => moduleDirectories(join(directory, name), depth + 1));
}

function smallText(path: string): string | undefined {
	try {
		const info = statSync(path);
		return info.isFile() && info.size <= limits.gitFileBytes ? readFileSync(path, "utf8") : undefined;
	} catch {
		return undefined;
	}
}

function isDirectory(path: string): boolean {
	return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function tryMkdir(path: string): void {
	try {
		if (isDirectory(dirname(path))) mkdirSync(path);
	} catch {
		// A repository that we cannot write to needs no protection either.
	}
}
