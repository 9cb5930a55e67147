/**
 * Disarms a repository that commands have made or can change, and those that git reaches from it: by `.git` files, `commondir`, remotes,
 * its index, and as its worktrees and submodules.
 */
import { basename, dirname, join, relative, resolve } from "node:path";

import { readWritten } from "@tau/sys";

import { isBelow } from "./below.ts";
import type { Denial } from "./denial.ts";
import {
	disarmedHooks,
	disarmedRebase,
	disarmedRepository,
	disarmedShared,
	linkTarget,
	remotePaths,
	removed,
	renamedAside,
	renamedToText,
} from "./disarm.ts";
import { GitContents } from "./git-contents.ts";
import { isSameForAll, isWithoutLinks, pointerAt, realPath } from "./git-directories.ts";
import { configuredCode } from "./git-paths.ts";
import type { GitUser } from "./git-user.ts";
import { gitlinksOf, namedWorkTree, workTree, type Gitlink } from "./gitlinks.ts";
import { replacedIndex, type IndexPaths } from "./index-paths.ts";
import { limits } from "./limits.ts";
import { localRemotes } from "./made-settings.ts";
import { isPrivate } from "./private-directory.ts";
import type { Reach } from "./reach.ts";
import { eachOf, reported } from "./reports.ts";
import { isDirectory, isRemote } from "./repository-paths.ts";
import { statsOf } from "./stats-of.ts";

export interface ReachedOptions {
	readonly reach: Reach;
	readonly user: GitUser;
	readonly indexPaths: IndexPaths;
	/** The directories of the user's repositories. */
	readonly own: ReadonlySet<string>;
}

export class ReachedRepositories {
	readonly #reach: Reach;
	readonly #user: GitUser;
	readonly #indexPaths: IndexPaths;
	readonly #ownDirectories: ReadonlySet<string>;
	readonly #contents = new Map<string, GitContents>();

	constructor({ reach, user, indexPaths, own }: ReachedOptions) {
		this.#reach = reach;
		this.#user = user;
		this.#indexPaths = indexPaths;
		this.#ownDirectories = own;
	}

	/** `seen`: those that are not looked at again. */
	disarmed(path: string, seen = new Set<string>()): Denial[] {
		return this.#disarmedAt(path, 0, seen);
	}

	/** One that an index names. */
	disarmedLink(link: Gitlink): Denial[] {
		return this.#disarmedLink(link, 0, new Set());
	}

	/** A file leads to the directory of the repository, and that one may lead to others, and to those that were seen. */
	#disarmedAt(path: string, depth: number, seen: Set<string>, at?: string): Denial[] {
		const tree = at ?? (basename(path) === ".git" ? dirname(path) : path);
		const real = realPath(path);
		if (linkTarget(path) !== undefined)
			return real !== undefined && this.#reach.isProtected(real)
				? this.#misled(path, real)
				: removed(path, leads);
		if (real === undefined || isPrivate(real) || this.#reach.isProtected(real)) return [];
		if (!isDirectory(real)) return this.#disarmedBehind(real, depth, dirname(path), seen);
		const key = `${real}\0${tree}`;
		if (seen.has(key)) return [];
		seen.add(key);
		const contents = this.#contentsOf(real);
		return [
			...reported(() => contents.disarm()),
			...disarmedRepository(real, namedWorkTree(real) ?? tree, this.#reach.isWritable),
			...reported(() => this.#indexPaths.disarm(real, contents.indexes(real))),
			...disarmedRebase(real, new Set()),
			...reported(() => this.#disarmedTree(real, tree)),
			...this.#disarmedBehind(join(real, "commondir"), depth, tree, seen),
			...reported(() => this.#disarmedRemotes(real, namedWorkTree(real) ?? tree, depth + 1, seen)),
			...eachOf(
				contents.repositories.filter((each) => each !== real),
				(each) => this.#disarmedAt(each, depth + 1, seen),
			),
			...reported(() => this.#disarmedLinks(real, tree, depth + 1, seen)),
		];
	}

	/** A push runs hooks of a repository on this machine. Worktrees share their remotes, and reach them from their own directories. */
	#disarmedRemotes(gitDir: string, tree: string, depth: number, seen: Set<string>): Denial[] {
		const isLinked = basename(dirname(gitDir)) === "worktrees";
		const shared = isLinked ? dirname(dirname(gitDir)) : gitDir;
		if (this.#reach.isProtected(shared)) return [];
		const isTooMuch = depth > limits.nestedRepositories || seen.size > limits.repositoriesAtOnce;
		if (isTooMuch) return disarmedShared(shared, undefined, this.#reach.isWritable);
		const reduced = isLinked ? disarmedShared(shared, tree, this.#reach.isWritable) : [];
		const settings = readWritten(join(shared, "config"));
		const paths = localRemotes(settings).flatMap((path) => remotePaths(tree, path));
		const found = paths.filter(isRemote);
		return [...reduced, ...eachOf(found, (path) => this.#disarmedAt(path, depth, seen))];
	}

	/** Git looks into them however deep they are: beyond the limit, it does so no longer. */
	#disarmedLinks(gitDir: string, tree: string, depth: number, seen: Set<string>): Denial[] {
		const links = gitlinksOf(gitDir, namedWorkTree(gitDir) ?? tree);
		// A `.git` file takes a step of its own.
		const isDeep = links.length > 0 && depth + 1 > limits.nestedRepositories;
		if (isDeep || links.length + seen.size > limits.repositoriesAtOnce)
			return replacedIndex(gitDir, "index", isDeep ? tooDeep : tooMany);
		return links.flatMap((link) => this.#disarmedLink(link, depth, seen));
	}

	#disarmedLink({ path, odd }: Gitlink, depth: number, seen: Set<string>): Denial[] {
		return odd === undefined ? this.#disarmedAt(path, depth, seen) : renamedToText(odd.directory, odd.name);
	}

	/**
	 * Where `core.hooksPath` is no whole path, each work tree has hooks of its own, and programs where another setting of the user is
	 * none. In a worktree of the user's repository, those that the project has are the user's, and what differs goes: hooks and
	 * scripts behind a program need not be executable, as those of husky are not.
	 */
	#disarmedTree(gitDir: string, at: string): Denial[] {
		const above = dirname(dirname(gitDir));
		const isOfUser = basename(dirname(gitDir)) === "worktrees" && this.#ownDirectories.has(above);
		const tree = namedWorkTree(gitDir) ?? at;
		const root = isOfUser ? workTree(above) : undefined;
		const { hooks, programs } = configuredCode(gitDir, tree, this.#user, true);
		const disabled = hooks
			.filter((path) => isBelow(path, tree))
			.flatMap((path) => {
				const real = realPath(path);
				if (real === undefined || this.#reach.isProtected(real)) return [];
				return disarmedHooks(real, root && join(root, relative(tree, path)));
			});
		// These are without links.
		const inside = realPath(tree) ?? tree;
		const named = programs.filter((path) => isBelow(path, inside) && this.#reach.isFree(path));
		return [
			...disabled,
			...eachOf(named, (path) => this.#disarmedProgram(path, relative(inside, path), root)),
		];
	}

	/** `name`: in the work tree. `root`: the user's, if it is a worktree of that; a repository of a command may be a copy of any. */
	#disarmedProgram(path: string, name: string, root?: string): Denial[] {
		const stats = statsOf(path);
		if (stats === undefined || stats.isDirectory()) return [];
		const isOwn = (own: string): boolean =>
			(root !== undefined || !this.#reach.isFree(own)) && isSame(path, own);
		const roots = root === undefined ? this.#reach.roots : [root];
		return roots.some((each) => isOwn(join(each, name)))
			? []
			: renamedAside(path, "git would run it outside");
	}

	#contentsOf(gitDir: string): GitContents {
		const contents = this.#contents.get(gitDir) ?? new GitContents(gitDir, this.#reach.isWritable);
		this.#contents.set(gitDir, contents);
		return contents;
	}

	/** `file` names another directory. Commands can write files of the session, which lie outside of the project. */
	#disarmedBehind(file: string, depth: number, tree: string, seen: Set<string>): Denial[] {
		const pointer = pointerAt(file);
		if (pointer === undefined) return [];
		if (pointer === "odd") return removed(file, leads);
		const target = resolve(dirname(file), pointer.target);
		// What is not there may be made later, or be there for other processes alone.
		if (this.#reach.isWritable(target) ? !isWithoutLinks(target) : !isSameForAll(target))
			return removed(file, leads);
		const real = realPath(target);
		if (real === undefined) return this.#reach.isWritable(target) ? [] : removed(file, leads);
		if (isPrivate(real)) return removed(file, leads);
		// Worktrees have the settings of their repository.
		const isProtected = this.#reach.isProtected(real);
		const isOfUser = isProtected || basename(dirname(real)) === "worktrees";
		const misled = isOfUser ? this.#misled(file, real) : [];
		if (isProtected || misled.length > 0) return misled;
		return depth < limits.nestedRepositories
			? this.#disarmedAt(target, depth + 1, seen, tree)
			: removed(file, leads);
	}

	/**
	 * Settings of the user that name a program of the project, such as `core.hooksPath`, would mean one of the directory that is led
	 * there, and git would write the user's index. The user's own files are known by the repository, which names them.
	 */
	#misled(file: string, gitDir: string): Denial[] {
		const tree = namedWorkTree(gitDir);
		const isOwn =
			basename(file) === "commondir"
				? this.#ownDirectories.has(gitDir)
				: tree !== undefined && realPath(tree) === dirname(file);
		return isOwn ? [] : removed(file, leads);
	}
}

function isSame(path: string, own: string): boolean {
	const target = linkTarget(own);
	if (target !== undefined) return linkTarget(path) === target;
	const content = readWritten(own);
	return content !== undefined && readWritten(path)?.equals(content) === true;
}

export const leads = "it leads git to another repository";
const tooDeep = "names a repository inside of too many others";
const tooMany = "names too many repositories";
