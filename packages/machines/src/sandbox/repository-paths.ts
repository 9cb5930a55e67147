/** Which paths of a project are repositories, lead to some, or are above what is watched. */
import { existsSync, lstatSync } from "node:fs";
import { dirname, join } from "node:path";

import { isBelow } from "./below.ts";
import { linkTarget, remotePaths } from "./disarm.ts";
import { settingsIn, smallText } from "./git-settings.ts";
import { workTree } from "./gitlinks.ts";

/** A work tree is none by itself: what is in it stays. A file may lead to a repository. */
export function isRemote(path: string): boolean {
	return existsSync(path) && (isRepository(path) || !isDirectory(path));
}

/** Where git may find the remotes of a repository of the user, as far as they are paths. */
export function ownRemotes(gitDir: string): string[] {
	const tree = workTree(gitDir);
	return settingsIn(smallText(join(gitDir, "config")) ?? "")
		.filter(({ section, key }) => section === "remote" && /^(?:push)?url$/.test(key))
		.map(({ value }) => value.replace(/^file:\/\//, ""))
		.filter((value) => !value.includes(":"))
		.flatMap((value) => remotePaths(tree, value));
}

/** Without those that are looked at with another one. */
export function outermost(gitDirs: readonly string[]): string[] {
	return [...new Set(gitDirs)].filter((path) => !gitDirs.some((above) => isBelow(path, above)));
}

/** The directories of these files: a link that takes their place would lead past them. */
export function directoriesOf(paths: readonly string[], writable: readonly string[]): string[] {
	const all = new Set<string>();
	for (const path of paths)
		for (let at = dirname(path); writable.some((above) => isBelow(at, above)); at = dirname(at)) all.add(at);
	return [...all].filter((path) => linkTarget(path) === undefined).toReversed();
}

export function isRepository(path: string): boolean {
	const has = (name: string): boolean => existsSync(join(path, name));
	return has("HEAD") && (has("objects") || has("commondir"));
}

export function isDirectory(path: string | undefined): boolean {
	try {
		return path !== undefined && lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
	} catch {
		// A part of its path is a file, or was closed.
		return false;
	}
}
