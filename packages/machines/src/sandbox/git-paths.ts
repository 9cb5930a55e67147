/** What git needs to write for a project, and what must not be written: code that git runs later, outside. */
import { existsSync, lstatSync, mkdirSync, statSync, type Dirent } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

import { findRepository } from "@tau/sys";

import { isBelow } from "./below.ts";
import { gitDirectories, pointerAt, realPath } from "./git-directories.ts";
import { namedWorkTree } from "./gitlinks.ts";
import { settingsIn, settingsOf, smallText } from "./git-settings.ts";
import type { GitUser } from "./git-user.ts";
import { pathsMeant, refuseOdd } from "./git-values.ts";
import { entriesOf } from "./hidden-names.ts";
import { limits } from "./limits.ts";
import { linkedHooks } from "./link-steps.ts";
import { programsIn } from "./named-programs.ts";
import { repositorySettings } from "./runs-later.ts";
import { statsOf } from "./stats-of.ts";

export interface GitPaths {
	/** The working tree, if the project is a part of it, and the directories of the repository. */
	readonly writable: readonly string[];
	readonly readOnly: readonly string[];
	/** Files and directories for hooks that the settings name, and that do not exist. */
	readonly absent: AbsentCode;
}

const none = { settings: [], hooks: [] };

export async function gitPaths(cwd: string, user: GitUser): Promise<GitPaths> {
	refuseOdd(user.files);
	const repository = await findRepository(cwd);
	if (!repository) {
		// A command may make one, in which programs that settings of the user name are the user's.
		const { programs } = configuredCode(join(cwd, ".git"), cwd, user, true);
		const readOnly = programs.filter((path) => statsOf(path) !== undefined);
		return { writable: [], readOnly, absent: none };
	}
	const { root } = repository;
	const dotGit = join(root, ".git");
	// A home directory that is a repository does not make all of it a project.
	const holdsHome = `${user.home}/`.startsWith(`${root === "/" ? "" : root}/`);
	const tree = holdsHome ? [] : [root];
	const own = ownDirectories(root, repository.gitDir);
	return {
		writable: [...tree, ...own],
		readOnly: [
			...(isDirectory(dotGit) ? [] : [dotGit]),
			...own.flatMap((path) => codeOf(path, root, user)),
			...submodules(root, user),
		],
		absent: absentCode(
			own.flatMap((path) => gitDirectories(path).map((gitDir) => configuredCode(gitDir, root, user))),
		),
	};
}

/**
 * What git would run in repositories inside a directory: in the directory itself, and one or two levels below. A `.git` file or link
 * is followed, if it leads to another place inside.
 */
export function repositoriesBelow(directory: string, user: GitUser): CodeBelow {
	const readOnly: string[] = [];
	const configured: ConfiguredCode[] = [];
	/** Of other version control systems. */
	const settings: string[] = [];
	const known = new Set<string>();
	const protect = (gitDir: string, root: string): void => {
		if (known.has(gitDir)) return;
		known.add(gitDir);
		readOnly.push(...codeOf(gitDir, root, user));
		configured.push(...gitDirectories(gitDir).map((each) => configuredCode(each, root, user)));
	};
	const queue = [{ at: directory, depth: 2 }];
	const look = (at: string, depth: number): void => {
		const entries = entriesOf(at);
		const names = new Set(entries.map(({ name }) => name));
		const dotGit = entries.find(({ name }) => name === ".git");
		const path = join(at, ".git");
		if (dotGit?.isDirectory() === false) readOnly.push(path);
		const others = repositorySettings.filter(
			(name) => name.includes("/") && names.has(name.split("/")[0] ?? ""),
		);
		settings.push(...others.map((name) => join(at, name)));
		const behind = dotGit?.isDirectory() === true ? [path] : dotGit ? repositoryBehind(path) : [];
		for (const gitDir of behind.filter((each) => isBelow(each, directory))) protect(gitDir, at);
		if (basename(at) !== ".git" && isBareRepository(names)) {
			protect(at, at);
			return;
		}
		if (depth === 0) return;
		const links = entries.filter((entry) => entry.isSymbolicLink() && !skipped.has(entry.name));
		for (const { name } of links) {
			const real = realPath(join(at, name));
			if (real !== undefined && isBelow(real, directory) && isDirectory(real))
				queue.push({ at: real, depth: 0 });
		}
		const below = entries.filter((entry) => entry.isDirectory() && !skipped.has(entry.name));
		// Caches are last: what the user works in must not be missed because of them.
		for (const { name } of below.toSorted((one, other) => hiddenRank(one) - hiddenRank(other)))
			queue.push({ at: join(at, name), depth: depth - 1 });
	};
	let looks = 0;
	// Those nearest to the project first. What lies beyond is remembered, as far as it is found.
	for (const { at, depth } of queue) {
		if (++looks > limits.searchedDirectories || readOnly.length > limits.submodules) break;
		look(at, depth);
	}
	const absent = absentCode([...configured, { hooks: [], settings, programs: [] }]);
	return { readOnly: [...readOnly, ...settings.filter((path) => existsSync(path))], absent };
}

/** Where a `.git` file or link leads: the directory that worktrees share first. */
function repositoryBehind(dotGit: string): string[] {
	const target = isDirectory(dotGit) ? { target: dotGit } : pointerAt(dotGit);
	const own = typeof target === "object" ? realPath(resolve(dirname(dotGit), target.target)) : undefined;
	if (own === undefined || !isDirectory(own)) return [];
	const shared = pointerAt(join(own, "commondir"));
	const common = typeof shared === "object" ? realPath(resolve(own, shared.target)) : undefined;
	return common !== undefined && isDirectory(common) ? [common, own] : [own];
}

/** As git recognizes one. */
function isBareRepository(names: ReadonlySet<string>): boolean {
	return names.has("HEAD") && names.has("objects") && names.has("refs");
}

interface CodeBelow {
	readonly readOnly: readonly string[];
	readonly absent: AbsentCode;
}

const skipped = new Set([".git", "node_modules"]);

function hiddenRank({ name }: Dirent): number {
	return name.startsWith(".") ? 1 : 0;
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

/** Git runs hooks, and commands that are named in its configuration; in worktrees and submodules, too. */
function codeOf(repository: string, root: string, user: GitUser): string[] {
	return gitDirectories(repository).flatMap((gitDir) => {
		const hooks = join(gitDir, "hooks");
		// What does not exist cannot be protected, and an empty directory of hooks means nothing to git.
		if (existsSync(join(gitDir, "config")) && !existsSync(hooks)) tryMkdir(hooks);
		const files = [
			"config",
			"config.worktree",
			"commondir",
			"gitdir",
			"lazygit.yml",
			"objects/info/alternates",
		].map((name) => join(gitDir, name));
		const configured = configuredCode(gitDir, root, user);
		const named = pathsOf(configured);
		refuseOdd(named);
		// A link that leads to nothing is kept as it is, too.
		return [hooks, ...files, ...named].filter((path) => statsOf(path) !== undefined);
	});
}

/** Files that protected repositories do not have, and by which git would read other settings; lazygit has its own there. */
export function furtherSettings(readOnly: readonly string[]): string[] {
	return readOnly
		.filter((path) => /^(?:config|commondir)$/.test(basename(path)))
		.flatMap((path) =>
			["config.worktree", "commondir", "lazygit.yml"].map((name) => join(dirname(path), name)),
		);
}

/** What the settings of the repository at `root` name: directories of hooks, and further files of settings. */
export function codeNamedBySettings(root: string, user?: GitUser): ConfiguredCode {
	const pointer = pointerAt(join(root, ".git"));
	const own = typeof pointer === "object" ? resolve(root, pointer.target) : join(root, ".git");
	const shared = pointerAt(join(own, "commondir"));
	const all = typeof shared === "object" ? [own, resolve(own, shared.target)] : [own];
	const named = all.map((gitDir) => configuredCode(gitDir, root, user));
	const linked = all.map((gitDir) => join(gitDir, "hooks")).filter((path) => statsOf(path)?.isSymbolicLink());
	return {
		hooks: [...named.flatMap(({ hooks }) => hooks), ...linked.flatMap((path) => realPath(path) ?? [])],
		settings: named.flatMap(({ settings }) => settings),
		programs: named.flatMap(({ programs }) => programs),
	};
}

interface AbsentCode {
	readonly hooks: readonly string[];
	readonly settings: readonly string[];
}

interface ConfiguredCode extends AbsentCode {
	/** Files that settings name as programs, what links among the hooks lead to, and the links on the way there. */
	readonly programs: readonly string[];
}

export function pathsOf({ hooks, settings, programs }: ConfiguredCode): string[] {
	return [...hooks, ...settings, ...programs];
}

function absentCode(configured: readonly ConfiguredCode[]): AbsentCode {
	const isAbsent = (path: string): boolean => statsOf(path) === undefined;
	return {
		hooks: configured.flatMap(({ hooks }) => hooks).filter(isAbsent),
		settings: configured.flatMap(({ settings, programs }) => [...settings, ...programs]).filter(isAbsent),
	};
}

/**
 * Hooks at another place, and further files of the configuration, also those that the user's own settings name. Those in husky's `_`
 * start the scripts beside it. `isMade`: commands have made the work tree.
 */
export function configuredCode(gitDir: string, root: string, user?: GitUser, isMade = false): ConfiguredCode {
	const isLinked = basename(dirname(gitDir)) === "worktrees";
	const own = [...(isLinked ? ["../../config"] : []), "config", "config.worktree"].map((name) =>
		join(gitDir, name),
	);
	const { settings, included } = settingsOf(own, user);
	const values = (name: string): string[] =>
		settings
			.filter(({ section, key }) => section === "core" && key === name)
			.flatMap(({ value }) => pathsMeant(value, user));
	// Those of a submodule name its work tree, and a linked one has hooks of its own where the setting is no whole path.
	const [named] = values("worktree").map((path) => resolve(gitDir, path));
	const tree = (isLinked ? namedWorkTree(gitDir) : named) ?? root;
	const hooks = values("hookspath").map((path) => resolve(tree, path));
	const all = hooks.flatMap((path) => (basename(path) === "_" ? [dirname(path), path] : [path]));
	return {
		hooks: all,
		settings: included,
		programs: [...programsIn(settings, tree, user, isMade), ...linkedHooks([join(gitDir, "hooks"), ...all])],
	};
}

/** The `.git` file of each submodule, and of those in them; where it is a directory, what git runs of that. */
function submodules(root: string, user: GitUser): string[] {
	const trees = [root];
	const readOnly: string[] = [];
	for (const tree of trees) {
		const paths = settingsIn(smallText(join(tree, ".gitmodules")) ?? "")
			.filter(({ section, key }) => section === "submodule" && key === "path")
			.map(({ value }) => resolve(tree, value));
		for (const path of paths) {
			if (trees.length > limits.submodules || trees.includes(path) || !isBelow(path, root)) continue;
			const dotGit = join(path, ".git");
			const stats = statsOf(dotGit);
			if (stats === undefined) continue;
			trees.push(path);
			readOnly.push(...(stats.isDirectory() ? codeOf(dotGit, path, user) : [dotGit]));
		}
	}
	return readOnly;
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
