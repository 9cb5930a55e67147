/**
 * What git may run or show in a repository that is not the user's: programs and files that its settings name, hooks, and what is
 * elsewhere behind a link in its `.git`. Who unpacks a repository of a stranger, or a command that does, plants them.
 */
import { lstatSync, readdirSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

import { findRepository, gitDirectoryAt } from "@tau/sys";
import { expandHome, shortenHome } from "@tau/utils";

import { settingsOfFile } from "./git-settings-file.ts";
import { isHarmless, isOrdinaryPath } from "./harmless-settings.ts";
import { limits } from "./limits.ts";
import { climbs, isUnreadable, isWithin, leadsToUnreadable, realPath } from "./real-path.ts";
import { submodulesOf } from "./repository-index.ts";
import { layoutOf } from "./repository-layout.ts";
import { userGit, type UserGit } from "./user-git.ts";

interface Checked {
	/** The working tree. */
	readonly root: string;
	readonly gitDir: string;
	readonly home: string;
	readonly changes: readonly (string | undefined)[];
}

/** What a command does before git looks at a repository, and in which way it looks. */
export interface GitCommand {
	/** The index may name others of this tree then. */
	readonly addsRepositories?: boolean;
	/** Files that it changes; undefined for one that is not known. */
	readonly changes?: readonly (string | undefined)[];
	/** It may show what is or was in files. */
	readonly showsContent?: boolean;
}

export interface FoundRepositories {
	/** A sentence for the user, if git may run or show something there. */
	readonly reason?: string;
	/** The directories that they are about. */
	readonly roots: readonly string[];
}

/** `isOwn`: the user has allowed the code of a repository. */
export async function programsOf(
	directories: readonly string[],
	home: string,
	isOwn: (root: string) => boolean,
	{ addsRepositories = false, changes = [], showsContent = false }: GitCommand = {},
): Promise<FoundRepositories> {
	const roots = new Set<string>();
	const named = changes.flatMap((path) => (path === undefined ? [path] : [path, realPath(path)]));
	let reason: string | undefined;
	for (const directory of directories) {
		if (leadsToUnreadable(directory))
			reason ??= `git may find another repository in ${shortenHome(directory)}, whose name is not text`;
		const found = await findRepository(directory);
		const broken = brokenAbove(realPath(directory), found?.root);
		if (broken !== undefined)
			reason ??= `git may take ${shortenHome(broken)} for a repository, or look for another one`;
		if (!found) continue;
		const shared = realPath(found.gitDir).replace(/\/worktrees\/[^/]+$/, "");
		for (const root of [found.root, dirname(shared)]) roots.add(root);
		if (reason !== undefined || isOwn(found.root)) continue;
		const user = userGit(found.root, home);
		const others =
			addsRepositories || (user.showsSubmodules && showsContent) ? repositoriesBelow(found.root) : [];
		reason = user.reason ?? (await programsIn({ ...found, home, changes: named }, user, others));
	}
	return { ...(reason === undefined ? {} : { reason }), roots: [...roots] };
}

/** A `.git` below the repository that git is taken to use, which is none. */
function brokenAbove(directory: string, root: string | undefined): string | undefined {
	for (let at = directory; at !== root; at = dirname(at)) {
		if (exists(join(at, ".git"))) return join(at, ".git");
		if (at === dirname(at)) return undefined;
	}
	return undefined;
}

/** Also where a link leads nowhere. */
function exists(path: string): boolean {
	try {
		return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
	} catch {
		// In a directory that this user may not enter, git finds nothing either.
		return false;
	}
}

/** Where a repository may be that the index does not name yet; undefined if the tree cannot be looked at. */
function repositoriesBelow(root: string): readonly string[] | undefined {
	const pending = [root];
	const found: string[] = [];
	for (let entries = 0; pending.length > 0;) {
		const at = pending.pop() ?? "";
		for (const entry of readdirSync(at, { withFileTypes: true })) {
			if (++entries > limits.treeEntries) return undefined;
			if (entry.isDirectory() && isUnreadable(entry.name)) return undefined;
			if (entry.name === ".git" && at !== root) found.push(relative(root, at));
			else if (entry.isDirectory() && entry.name !== ".git") pending.push(join(at, entry.name));
		}
	}
	return found;
}

async function programsIn(
	repository: Checked,
	user: UserGit,
	others: readonly string[] | undefined,
	depth = 0,
): Promise<string | undefined> {
	const { root, gitDir, home, changes } = repository;
	const where = shortenHome(gitDir);
	const layout = layoutOf(root, gitDir);
	if ("unusual" in layout) return `${where} ${layout.unusual}`;
	const { common } = layout;
	const own = [join(common, "config"), join(gitDir, "config.worktree")];
	const settings = new ProjectSettings(repository);
	for (const file of [...own, ...user.ofProject]) settings.read(file);
	if (settings.odd !== undefined) return settings.odd;
	const hooks = [settings.hooks ?? user.hooks ?? join(common, "hooks")].map((path) =>
		resolve(root, expandHome(path, home)),
	);
	// Hooks and settings may be files of the project (`.husky`), also where the user's own settings name them.
	const used = [join(root, ".git"), gitDir, common, ...hooks, ...settings.files, ...user.files];
	const open = used.find((path) =>
		[path, realPath(path)].some((at) =>
			changes.some((change) => change !== undefined && (isWithin(change, at) || isWithin(at, change))),
		),
	);
	if (open !== undefined) return `git uses ${shortenHome(open)}, which the command may change`;
	const hook = hooks.flatMap((directory) => unaskedHooks.map((name) => join(directory, name))).find(exists);
	if (hook !== undefined) return `git runs the hook ${shortenHome(hook)}`;
	const links = submodulesOf(gitDir);
	if (links === undefined) return `git may read other files than Tau in the index of ${shortenHome(root)}`;
	if (others === undefined || depth > limits.submoduleDepth)
		return `git may look into repositories inside of ${shortenHome(root)} that cannot be checked`;
	for (const path of new Set([...links, ...others])) {
		if (leadsToUnreadable(join(root, path)))
			return `git may look into ${shortenHome(join(root, path))}, whose name is not text`;
		const dotGit = join(root, path, ".git");
		const inside = await gitDirectoryAt(dotGit);
		if (inside === undefined && exists(dotGit))
			return `git may read ${shortenHome(dotGit)} in another way than Tau does`;
		if (inside === undefined) continue;
		const at = { ...repository, root: realPath(join(root, path)), gitDir: inside };
		const why = await programsIn(at, user, [], depth + 1);
		if (why !== undefined) return why;
	}
	return undefined;
}

/** Hooks of commands that are not asked about: those that refresh the index, or change refs. */
const unaskedHooks = ["post-index-change", "reference-transaction"];

/** The settings of a repository, which are judged by a closed list. */
class ProjectSettings {
	/** The first thing that is not on the list, as a sentence. */
	odd: string | undefined;
	/** Where they say that hooks are. */
	hooks: string | undefined;
	/** The files that they are in, and files of the project that they name. */
	readonly files = new Set<string>();
	readonly #repository: Checked;

	constructor(repository: Checked) {
		this.#repository = repository;
	}

	read(file: string): void {
		this.files.add(file);
		const settings = settingsOfFile(file);
		if (!settings) this.odd ??= `git may understand ${shortenHome(file)} in another way than Tau does`;
		for (const [name, value] of settings ?? [])
			if (!this.#takes(name, value))
				this.odd ??= `the setting ${name} in ${shortenHome(file)} may let git run a program or read other files`;
	}

	#takes(name: string, value: string): boolean {
		const { root, gitDir, home } = this.#repository;
		if (name === "core.hookspath") this.hooks = value;
		if (name === "core.hookspath") return isOrdinaryPath(value) && !climbs(value);
		// Git would show the files of another directory as changes.
		if (name === "core.worktree") return !climbs(value) && realPath(resolve(gitDir, value)) === root;
		const verdict = isHarmless(name, value);
		if (verdict !== "file") return verdict;
		const path = resolve(root, expandHome(value, home));
		this.files.add(path);
		return !climbs(value) && isWithin(realPath(path), root);
	}
}
