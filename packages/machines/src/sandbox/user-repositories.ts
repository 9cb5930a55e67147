/** Finds the repositories of the user where commands write: protected by mounts, remembered, or known by times alone. */
import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";

import { GitContents } from "./git-contents.ts";
import { gitDirectories } from "./git-directories.ts";
import { Gitlinks } from "./gitlinks.ts";
import { limits } from "./limits.ts";
import type { LooseFiles } from "./loose-files.ts";
import { OwnRepositories } from "./own-repositories.ts";
import type { SandboxProfile } from "./profile.ts";
import type { Reach } from "./reach.ts";
import { isDirectory, isRepository, outermost, ownRemotes } from "./repository-paths.ts";
import { UnreadRepositories } from "./unread-repositories.ts";

export interface UserRepositories {
	/** Those that a search has found, and those that an index names: no search comes to some of these. */
	readonly found: readonly string[];
	/** The outermost of those with mounts and of those that are remembered. */
	readonly directories: ReadonlySet<string>;
	readonly contents: readonly GitContents[];
	/** Also of their submodules. */
	readonly gitlinks: readonly Gitlinks[];
	/** Where they have remotes in the project: a push runs hooks there. */
	readonly remotes: readonly string[];
	/** What is remembered of those that lie deeper than mounts protect. */
	readonly deeper: OwnRepositories;
	/** Those of them that are too many. */
	readonly unread: UnreadRepositories;
}

interface UserOptions {
	readonly profile: SandboxProfile;
	readonly reach: Reach;
	/** What a search has found of them. */
	readonly found: readonly string[];
	/** Files of theirs are added. */
	readonly files: LooseFiles;
	/** Whether one that an index names is the user's. */
	isOfUser(path: string): boolean;
}

export function userRepositories({ profile, reach, found, files, isOfUser }: UserOptions): UserRepositories {
	const named = ownRepositories(profile);
	// Those below them, whose settings are protected, are the user's as well.
	const below = profile.readOnly.filter((path) => basename(path) === "config").map((path) => dirname(path));
	const mounted = [...new Set([...named, ...below.filter((path) => existsSync(join(path, "HEAD")))])];
	const remotes = [...mounted, ...found].flatMap(ownRemotes).filter(reach.isWritable);
	const gitlinks = new Map(mounted.map((path) => [path, new Gitlinks(path)]));
	const linked = [...gitlinks.values()]
		.flatMap((each) => each.own)
		.filter((path) => reach.isWritable(path) && isOfUser(path));
	const isWithoutMounts = (path: string): boolean =>
		isDirectory(path) && !reach.isProtected(path) && isRepository(path);
	const unprotected = [...new Set([...found, ...remotes, ...linked])].filter(isWithoutMounts);
	const remembered = unprotected.slice(0, limits.submodules);
	const directories = remembered.flatMap((path) => gitDirectories(path));
	const deeper = new OwnRepositories(directories, files, {
		isWritable: reach.isWritable,
		writable: profile.writable,
		user: profile.gitUser,
	});
	reach.remember(directories);
	files.add(
		[...found, ...linked].filter(
			(path) => basename(path) === ".git" && !isDirectory(path) && !reach.isProtected(path),
		),
	);
	const own = outermost([...mounted, ...remembered]);
	return {
		found: [...found, ...linked],
		directories: new Set(own),
		contents: own.map((path) => new GitContents(path, reach.isWritable)),
		gitlinks: [...new Set([...mounted, ...directories])].map(
			(path) => gitlinks.get(path) ?? new Gitlinks(path),
		),
		remotes,
		deeper,
		unread: new UnreadRepositories(unprotected.slice(limits.submodules)),
	};
}

/** The repository of the project, and directories of others that commands can write. */
export function ownRepositories({ cwd, writable }: Pick<SandboxProfile, "cwd" | "writable">): string[] {
	return [...new Set([...writable.filter((path) => existsSync(join(path, "HEAD"))), join(cwd, ".git")])];
}
