/**
 * Whether git would read tracked files through a link: `git grep` opens them by their names, whatever is above them now, and
 * `git diff` those in conflict.
 */
import { lstatSync } from "node:fs";
import { dirname, join } from "node:path";

import type { CommandFacts } from "@tau/sys/commands";
import { findRepository, gitDirectoryAt, GitIndex } from "@tau/sys";
import { shortenHome } from "@tau/utils";

import { limits } from "./limits.ts";
import { isUnreadable, isWithin, realPath } from "./real-path.ts";

/** As a reason: a link out of the repository is where the index has a directory. */
export async function linkAboveTracked({
	programs,
	repositories,
}: CommandFacts): Promise<string | undefined> {
	const isCalled = (command: string): boolean =>
		programs.some(({ name, argv }) => name === "git" && argv.includes(command));
	const searches = isCalled("grep");
	for (const directory of searches || isCalled("diff") ? repositories : []) {
		const found = await findRepository(directory);
		if (!found || (!searches && GitIndex.read(found.gitDir)?.hasConflicts === false)) continue;
		const link = await linkBelow(found.root, found.gitDir);
		if (link !== undefined) return link;
	}
	return undefined;
}

/** With those in submodules: settings may say that git searches them, too. */
async function linkBelow(root: string, gitDir: string, depth = 0): Promise<string | undefined> {
	const own = linkIn(root, gitDir);
	if (own !== undefined) return own;
	for (const link of GitIndex.read(gitDir)?.submodules() ?? []) {
		const inside = join(root, Buffer.from(link, "latin1").toString());
		const dotGit = await gitDirectoryAt(join(inside, ".git"));
		if (dotGit === undefined) continue;
		if (depth >= limits.submoduleDepth) return `git may search too many repositories in ${shortenHome(root)}`;
		const below = await linkBelow(inside, dotGit, depth + 1);
		if (below !== undefined) return below;
	}
	return undefined;
}

function linkIn(root: string, gitDir: string): string | undefined {
	const parts = GitIndex.parts(gitDir).map((name) => GitIndex.paths(join(gitDir, name)));
	if (parts.includes(undefined)) return `only git knows the files in the index of ${shortenHome(root)}`;
	const paths = parts.flatMap((part) => part ?? []);
	const seen = new Set<string>();
	for (const path of paths)
		for (let at = dirname(path); at !== "." && !seen.has(at); at = dirname(at)) {
			seen.add(at);
			const name = Buffer.from(at, "latin1").toString();
			if (isUnreadable(name)) return `only git finds the files of ${shortenHome(root)} in ${name}`;
			const directory = join(root, name);
			if (isLinkOut(directory, root))
				return `git reads tracked files through ${shortenHome(directory)}, a link out of the repository`;
		}
	return undefined;
}

function isLinkOut(path: string, root: string): boolean {
	try {
		const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
		return isLink && !isWithin(realPath(path), realPath(root));
	} catch {
		// A part of it is a file, or cannot be entered by commands either.
		return false;
	}
}
