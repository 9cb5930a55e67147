/**
 * The files with patterns of what to leave out (`.gitignore`) that are links, below a directory and above it: `rg` shows lines of
 * them that cannot be patterns, whatever file they lead to.
 */
import { lstatSync, readdirSync, type Dirent } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

import { textOf } from "./git-settings-file.ts";
import { limits } from "./limits.ts";
import { realPath } from "./real-path.ts";

const names = [".gitignore", ".ignore", ".rgignore"];

export function isIgnoreFile(path: string): boolean {
	return names.includes(basename(path)) || path.endsWith("/info/exclude");
}

/** What names in the patterns of the directories above say: undefined if some are taken back, or there may be others. */
type Names = ReadonlySet<string> | undefined;

/** Undefined if the tree is too large to look at. `skips`: directories that the patterns leave out are not looked into. */
export function linkedIgnoreFiles(tree: string, skips: boolean): string[] | undefined {
	const start = realPath(tree);
	const links = new Set<string>();
	const above = linksAbove(start, links);
	const pending = [{ at: start, ...above, skipped: skips ? above.skipped : undefined }];
	let entries = 0;
	for (let next = pending.pop(); next; next = pending.pop()) {
		const { at } = next;
		const here = listing(at);
		entries += here.length;
		if (entries > limits.ignoreEntries) return undefined;
		const found = new Set(here.map(({ name }) => name));
		addLinks(at, (name) => found.has(name), links);
		const isInRepository = next.isInRepository || found.has(".git");
		const skipped = skippedIn(at, next.skipped, (name) => found.has(name));
		for (const entry of here) {
			// What is left out without an exception is not looked into, such as `node_modules`.
			const isSkipped = entry.name === ".git" || (isInRepository && skipped?.has(entry.name));
			if (entry.isDirectory() && !isSkipped)
				pending.push({ at: join(at, entry.name), skipped, isInRepository });
		}
	}
	return [...links];
}

function linksAbove(start: string, links: Set<string>): { skipped: Names; isInRepository: boolean } {
	let skipped: Names = new Set();
	let isInRepository = false;
	for (let at = dirname(start), below = start; at !== below; below = at, at = dirname(at)) {
		const found = new Set([...names, ".git"].filter((name) => exists(join(at, name))));
		addLinks(at, (name) => found.has(name), links);
		// Patterns of directories above the repository do not count.
		if (isInRepository) found.delete(".gitignore");
		skipped = skippedIn(at, skipped, (name) => found.has(name));
		isInRepository ||= found.has(".git");
	}
	return { skipped: isInRepository ? skipped : skipped && new Set(), isInRepository };
}

function addLinks(at: string, has: (name: string) => boolean, links: Set<string>): void {
	const paths = [
		...names.filter(has).map((name) => join(at, name)),
		...(has(".git") ? excludeFiles(at) : []),
	];
	for (const path of paths) if (realPath(path) !== path) links.add(path);
}

function skippedIn(at: string, above: Names, has: (name: string) => boolean): Names {
	if (!above || has(".ignore") || has(".rgignore")) return undefined;
	if (!has(".gitignore")) return above;
	const own = plainNames(join(at, ".gitignore"));
	return own && new Set([...above, ...own]);
}

/** Names that a file leaves out everywhere below it; undefined if it takes some back. */
function plainNames(file: string): ReadonlySet<string> | undefined {
	const lines = (textOf(file) ?? "").split("\n").map((line) => line.trimEnd());
	if (lines.some((line) => line.startsWith("!"))) return undefined;
	return new Set(lines.flatMap((line) => /^(?:\*\*\/)?([\w.-]+)\/?$/.exec(line)?.[1] ?? []));
}

/** Of a repository there. */
function excludeFiles(directory: string): string[] {
	const [, target] = /^gitdir: (.+)/.exec(textOf(join(directory, ".git")) ?? "") ?? [];
	if (target === undefined) return [join(directory, ".git/info/exclude")];
	const gitDir = resolve(directory, target.trim());
	const shared = textOf(join(gitDir, "commondir"))?.trim();
	return [gitDir, ...(shared === undefined ? [] : [resolve(gitDir, shared)])].map((at) =>
		join(at, "info/exclude"),
	);
}

function exists(path: string): boolean {
	try {
		return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
	} catch {
		// In a directory that this user may not enter, `rg` finds nothing either.
		return false;
	}
}

function listing(directory: string): Dirent[] {
	try {
		return readdirSync(directory, { withFileTypes: true });
	} catch {
		// A file, or a directory that cannot be listed: `rg` reads no such files there.
		return [];
	}
}
