/**
 * Whether a command itself changes what paths mean: links are resolved once, before it runs. It moves a directory in which it
 * runs, whose `..` is another one then, or it puts something in the place of links, through which other links may lead.
 */
import { lstatSync } from "node:fs";

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
	const linked = moved.find(hasLinks) ?? removed.find((path) => isReplaced(path, writes) && hasLinks(path));
	return linked && `it puts something else in the place of ${shortenHome(linked)}, where links are`;
}

/** The command makes it, something in it, or a directory that may bring it along. */
function isReplaced(path: string, writes: readonly CommandWrite[]): boolean {
	return writes.some(
		({ path: made, deletes, moves }) =>
			made !== undefined && !deletes && !moves && (isWithin(made, path) || isWithin(path, made)),
	);
}

/** It is a link, or there are some in it. */
function hasLinks(path: string): boolean {
	try {
		const facts = lstatSync(path, { throwIfNoEntry: false });
		return (
			facts?.isSymbolicLink() === true || (facts?.isDirectory() === true && leadsOutside(path, [], true))
		);
	} catch {
		// Commands of this user cannot get there either.
		return false;
	}
}
