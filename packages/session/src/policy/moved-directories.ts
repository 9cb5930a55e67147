/**
 * Whether a command itself changes what paths mean: links are resolved once, before it runs. It moves a directory in which it
 * runs, whose `..` is another one then, or it puts something in the place of links, through which other links may lead.
 */
import { lstatSync, type Stats } from "node:fs";

import type { CommandFacts, CommandWrite } from "@tau/sys/commands";
import { shortenHome } from "@tau/utils";

import { leadsOutside } from "./protected-paths.ts";
import { isWithin, realPath } from "./real-path.ts";

/** As a reason. */
export function movedDirectory({ programs, writes }: CommandFacts, cwd: string): string | undefined {
	const moved = writes.flatMap(({ path, moves }) => (moves && path !== undefined ? path : []));
	const removed = writes.flatMap(({ path, moves, deletes }) =>
		(moves || deletes) && path !== undefined ? path : [],
	);
	if (removed.length === 0) return undefined;
	const directories = [cwd, ...programs.flatMap((run) => run.directories ?? [])].map(realPath);
	const around = moved.find((path) => directories.some((each) => isWithin(each, realPath(path))));
	if (around !== undefined) return `it moves ${shortenHome(around)}, in which it runs`;
	// The first of several may be in the way of the next: `mv bag sack/bag/link/.netrc there`.
	if (programs.length === 1 && removed.length === 1) return undefined;
	const linked = (writes.some(makes) ? removed : moved).find(hasLinks);
	return linked && `it may put something else in the place of ${shortenHome(linked)}, where links are`;
}

/** Only a file that is there already is certainly not in the place of another path, which may have many names. */
function makes({ path, deletes, moves, inDirectory }: CommandWrite): boolean {
	if (deletes || moves || inDirectory) return false;
	return path === undefined || factsOf(path)?.isFile() !== true;
}

/** It is a link, or there are some in it. */
function hasLinks(path: string): boolean {
	const facts = factsOf(path);
	return facts?.isSymbolicLink() === true || (facts?.isDirectory() === true && leadsOutside(path, [], true));
}

function factsOf(path: string): Stats | undefined {
	try {
		return lstatSync(path, { throwIfNoEntry: false });
	} catch {
		// Commands of this user cannot get there either.
		return undefined;
	}
}
