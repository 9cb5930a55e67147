/** What git needs to write for a project, and what must not be written: code that git runs later, outside. */
import {
	existsSync,
	lstatSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	realpathSync,
	statSync,
	type Dirent,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

import { findRepository } from "@tau/sys";
import { limits } from "./limits.ts";

export interface GitPaths {
	/** The working tree, if the project is a part of it, and the directories of the repository. */
	readonly writable: readonly string[];
	readonly readOnly: readonly string[];
	/** Files and directories for hooks that the settings name, and that do not exist. */
	readonly absent: { readonly settings: readonly string[]; readonly hooks: readonly string[] };
}

const none = { settings: [], hooks: [] };

export async function gitPaths(cwd: string, home: string): Promise<GitPaths> {
	const repository = await findRepository(cwd);
	if (!repository) return { writable: [], readOnly: [], absent: none };
	const { root } = repository;
	const dotGit = join(root, ".git");
	// A home directory that is a repository does not make all of it a project.
	const holdsHome = `${home}/`.startsWith(`${root === "/" ? "" : root}/`);
	const tree = holdsHome ? [] : [root];
	const own = ownDirectories(root, repository.gitDir);
	return {
		writable: [...tree, ...own],
		readOnly: [
			...(isDirectory(dotGit) ? [] : [dotGit]),
			...own.flatMap((path) => codeOf(path, root)),
			...own.slice(0, 1).flatMap((common) => submodules(root, common)),
		],
		absent: absentCode(own.map((path) => configuredCode(path, root))),
	};
}

/** What git would run in repositories inside a directory: in the directory itself, and one or two levels below. */
export function repositoriesBelow(directory: string): string[] {
	const found: string[] = [];
	let looks = 0;
	const look = (at: string, depth: number): void => {
		if (++looks > limits.searchedDirectories || found.length > limits.submodules) return;
		const entries = entriesOf(at);
		const dotGit = entries.find(({ name }) => name === ".git");
		if (dotGit) found.push(...(dotGit.isDirectory() ? codeOf(join(at, ".git"), at) : [join(at, ".git")]));
		if (depth === 0) return;
		for (const entry of entries)
			if (entry.isDirectory() && !entry.name.startsWith(".") && entry.name !== "node_modules")
				look(join(at, entry.name), depth - 1);
	};
	look(directory, 2);
	return found;
}

/**
 * The directories of a repository, the one that worktrees share first. `.git` may be a file, and a command may have written
 * that, or the files that it leads to: a directory elsewhere is accepted only if it names this working tree itself.
 */
function ownDirectories(root: string, gitDir: string): string[] {
	const dotGit = join(root, ".git");
	if (lstatSync(dotGit).isDirectory()) return [dotGit];
	const real = realPath(gitDir);
	if (real === undefined) return [];
	if (real.startsWith(`${root}/`)) return [real];
	const names = (file: string, line: RegExp, expected: string): boolean => {
		const path = line.exec(smallText(join(real, file)) ?? "")?.[1];
		return path !== undefined && realPath(resolve(real, path)) === expected;
	};
	const common = dirname(dirname(real));
	if (
		basename(dirname(real)) === "worktrees" &&
		names("commondir", /^(.+)/, common) &&
		names("gitdir", /^(.+)/, dotGit)
	)
		return [common, real];
	return names("config", /^\s*worktree\s*=\s*(.+?)\s*$/m, root) ? [real] : [];
}

/** Git runs hooks, and commands that are named in its configuration. */
function codeOf(gitDir: string, root: string): string[] {
	const hooks = join(gitDir, "hooks");
	// What does not exist cannot be protected, and an empty directory of hooks means nothing to git.
	if (existsSync(join(gitDir, "config")) && !existsSync(hooks)) tryMkdir(hooks);
	const files = ["config", "config.worktree", "commondir", "gitdir"].map((name) => join(gitDir, name));
	const configured = configuredCode(gitDir, root);
	const others = linkedWorktrees(gitDir);
	return [hooks, ...files, ...others, ...configured.hooks, ...configured.settings].filter((path) =>
		existsSync(path),
	);
}

/** What leads git in the other worktrees of a repository to its settings: those are outside, and not looked at later. */
function linkedWorktrees(gitDir: string): string[] {
	return entriesOf(join(gitDir, "worktrees"))
		.slice(0, limits.submodules)
		.flatMap(({ parentPath, name }) =>
			["commondir", "gitdir", "config.worktree"].map((file) => join(parentPath, name, file)),
		);
}

/** Settings that protected repositories do not have, and that git would read if another one says so. */
export function furtherSettings(readOnly: readonly string[]): string[] {
	return readOnly
		.filter((path) => /^(?:config|commondir)$/.test(basename(path)))
		.map((path) => join(dirname(path), "config.worktree"));
}

interface ConfiguredCode {
	readonly hooks: readonly string[];
	readonly settings: readonly string[];
}

function absentCode(configured: readonly ConfiguredCode[]): ConfiguredCode {
	const isAbsent = (path: string): boolean => !existsSync(path);
	return {
		hooks: configured.flatMap(({ hooks }) => hooks).filter(isAbsent),
		settings: configured.flatMap(({ settings }) => settings).filter(isAbsent),
	};
}

/** Hooks at another place, as husky has them, and further files of the configuration. */
function configuredCode(gitDir: string, root: string): ConfiguredCode {
	const texts = ["config", "config.worktree"].map((name) => smallText(join(gitDir, name)) ?? "");
	const values = (name: string, base: string): string[] =>
		texts
			.flatMap((text) => [...text.matchAll(new RegExp(`^\\s*${name}\\s*=\\s*"?(.+?)"?\\s*$`, "gim"))])
			.map(([, path = ""]) => resolve(base, path));
	return { hooks: values("hooksPath", root), settings: values("path", gitDir) };
}

/** Of each submodule: its `.git` file, and what git runs in its directory. */
function submodules(root: string, common: string): string[] {
	const names = smallText(join(root, ".gitmodules")) ?? "";
	const links = [...names.matchAll(/^\s*path\s*=\s*(.+?)\s*$/gm)].slice(0, limits.submodules);
	const files = links.map(([, path = ""]) => resolve(root, path, ".git")).filter((path) => existsSync(path));
	const inside = files.filter((path) => path.startsWith(`${root}/`));
	return [...inside, ...moduleDirectories(join(common, "modules")).flatMap((path) => codeOf(path, root))];
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

function entriesOf(path: string): Dirent[] {
	try {
		return readdirSync(path, { withFileTypes: true });
	} catch {
		return [];
	}
}

function realPath(path: string): string | undefined {
	try {
		return realpathSync(path);
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
