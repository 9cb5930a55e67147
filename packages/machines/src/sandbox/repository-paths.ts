/** Which paths of a project are repositories, or lead to some. */
import { existsSync, lstatSync } from "node:fs";
import { join } from "node:path";

import { isBelow } from "./below.ts";
import { remotePaths } from "./disarm.ts";
import { settingsIn, settingsText } from "./git-settings.ts";
import { workTree } from "./gitlinks.ts";

/** A work tree is none by itself: what is in it stays. A file may lead to a repository. */
export function isRemote(path: string): boolean {
	return existsSync(path) && (isRepository(path) || !isDirectory(path));
}

/** Where git may find the remotes of a repository of the user, as far as they are paths. */
export function ownRemotes(gitDir: string): string[] {
	const tree = workTree(gitDir);
	return settingsIn(settingsText(join(gitDir, "config")))
		.filter(({ section, key }) => section === "remote" && /^(?:push)?url$/.test(key))
		.map(({ value }) => value.replace(/^file:\/\//, ""))
		.filter((value) => !value.includes(":"))
		.flatMap((value) => remotePaths(tree, value));
}

/** Without those that are looked at with another one. */
export function outermost(gitDirs: readonly string[]): string[] {
	return [...new Set(gitDirs)].filter((path) => !gitDirs.some((above) => isBelow(path, above)));
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
