/**
 * The files with patterns of what to leave out (`.gitignore`) that are links, below directories and above them: `rg` shows
 * lines of them that cannot be patterns, whatever file they lead to.
 */
import { lstatSync, readdirSync, statSync, type Dirent, type Stats } from "node:fs";
import { basename, dirname, join } from "node:path";

import type { CommandFacts, ProgramRun } from "@tau/sys/commands";

import { excludeFiles } from "./exclude-files.ts";
import { textOf } from "./git-settings-file.ts";
import { limits } from "./limits.ts";
import { isUnreadable, passesProcess, realPath } from "./real-path.ts";

const names = [".gitignore", ".ignore", ".rgignore"];

/** Those of the searches of a command; a text says why they are not known. */
export function linkedPatternFiles(facts: CommandFacts): string[] | string {
	const runs = facts.programs.filter(({ name }) => name === "rg");
	if (runs.length === 0) return [];
	if (facts.writes.some(({ path = "" }) => isPatternFile(path)))
		return "rg shows lines of a .gitignore that the command itself puts there, if it is a link";
	const bases = facts.treeGlobs.map((pattern) => pattern.replace(/\/[^/]*[*?[\]{}].*$/s, "") || "/");
	const places = runs.map(({ directories }) => directories);
	const starts = places.includes(undefined) ? undefined : places.flatMap((each) => each ?? []);
	return linkedFiles([...facts.readTrees, ...bases], { starts, leavesOut: leftOut(runs) });
}

function isPatternFile(path: string): boolean {
	return [...names, ".git", "commondir"].includes(basename(path)) || path.endsWith("/info/exclude");
}

/** Whether a directory stays out if patterns name it: its words, or a program that gives it names, may say otherwise. */
function leftOut(runs: readonly ProgramRun[]): Search["leavesOut"] {
	const given = runs.flatMap(({ argv }) => argv.slice(1));
	const isOpen =
		runs.some(({ within }) => within.length > 0) ||
		given.some((word = "-u") => /^(?:--no-ignore|--unrestricted|-\w*u)/.test(word));
	if (isOpen) return () => false;
	const globs = given.flatMap((word = "", at) => {
		const [isGlob, long, short] = /^(?:--i?glob(?:=([^]*))?|-(?!-)[^g]*g([^]*))$/.exec(word) ?? [];
		return isGlob === undefined ? [] : [long || short || (given[at + 1] ?? "")];
	});
	const wanted = globs.filter((glob) => !glob.startsWith("!"));
	return (name) => wanted.every((glob) => !mayMatch(glob, name));
}

/** `-g` wins over the patterns of files, also for directories. */
function mayMatch(glob: string, name: string): boolean {
	const last = glob.replace(/\/+$/, "").split("/").at(-1) ?? "";
	if (/^[\w.-]+$/.test(last)) return last.toLowerCase() === name.toLowerCase();
	return name.includes(".") || !/^\*\.(?:\w+|\{\w+(?:,\w+)*\})$/.test(last);
}

/** Where and how `rg` searches. */
interface Search {
	/** Directories in which it may be started; undefined if only the shell knows. */
	readonly starts: readonly string[] | undefined;
	/** Whether a directory of this name is left out where patterns say so. */
	leavesOut(name: string): boolean;
}

interface Position {
	readonly at: string;
	readonly isInRepository: boolean;
	/** Names in the patterns of its repository; undefined if some are taken back, or there may be others. */
	readonly skipped: ReadonlySet<string> | undefined;
	/** Patterns that win over those of repositories may take names back. */
	readonly isOpen: boolean;
}

type Entries = ReadonlyMap<string, Dirent | Stats>;

function linkedFiles(trees: readonly string[], search: Search): string[] | string {
	const links = new Set<string>();
	let isUnclear = false;
	const enter = (place: Position, here: Entries): Position => {
		const found = patternFiles(place.at, here, search.starts);
		isUnclear ||= found === undefined;
		for (const path of found ?? []) {
			// A link that leads nowhere may lead there once the command has made a directory.
			const real = realPath(path);
			if (real !== path && (isFile(real) || passesProcess(path))) links.add(path);
		}
		return entered(place, here);
	};
	const pending = [...new Set(trees.map((tree) => realPath(tree)))].map((start) => {
		let place: Position = { at: start, isInRepository: false, skipped: new Set(), isOpen: false };
		for (const at of directoriesAbove(start)) place = enter({ ...place, at }, entriesNamed(at));
		return { ...place, at: start };
	});
	let entries = 0;
	for (let next = pending.pop(); next; next = pending.pop()) {
		const here = listing(next.at);
		entries += here.length;
		if (entries > limits.ignoreEntries)
			return "rg reads the .gitignore files of more directories than can be checked for links";
		const place = enter(next, new Map(here.map((entry) => [entry.name, entry])));
		const skipped = place.isInRepository && !place.isOpen ? place.skipped : undefined;
		for (const entry of here) {
			// What is left out without an exception is not looked into, such as `node_modules`.
			const isSkipped = skipped?.has(entry.name) === true && search.leavesOut(entry.name);
			if (entry.isDirectory() && isUnreadable(entry.name))
				return `only rg finds the .gitignore files in ${join(place.at, entry.name)}`;
			if (entry.isDirectory() && entry.name !== ".git" && !isSkipped)
				pending.push({ ...place, at: join(place.at, entry.name) });
		}
	}
	return isUnclear ? "only rg knows where the .gitignore files are that a .git file names" : [...links];
}

/** From the top. */
function directoriesAbove(path: string): string[] {
	const above = dirname(path);
	return above === path ? [] : [...directoriesAbove(above), above];
}

function patternFiles(at: string, here: Entries, starts: Search["starts"]): string[] | undefined {
	const excludes = here.has(".git") ? excludeFiles(at, starts) : [];
	return excludes && [...names.filter((name) => here.has(name)).map((name) => join(at, name)), ...excludes];
}

/** With what the patterns in a directory say. */
function entered({ at, ...above }: Position, here: Entries): Position {
	const dotGit = here.get(".git");
	const isRepository = dotGit?.isDirectory() === true || dotGit?.isFile() === true;
	// Whether there is one behind a link, or in a `.jj`, is not the same in all versions.
	const mayBeRepository = !isRepository && (dotGit !== undefined || here.has(".jj"));
	// In a repository, patterns of repositories around it do not count.
	const outer = isRepository ? new Set<string>() : mayBeRepository ? undefined : above.skipped;
	const isInRepository = isRepository || above.isInRepository;
	const own =
		here.has(".gitignore") && isInRepository ? plainNames(join(at, ".gitignore")) : new Set<string>();
	return {
		at,
		isInRepository,
		skipped: outer && own && new Set([...outer, ...own]),
		isOpen: above.isOpen || here.has(".ignore") || here.has(".rgignore"),
	};
}

/** Names that a file leaves out everywhere below it; undefined if it takes some back, or `rg` may not read all of it. */
function plainNames(file: string): ReadonlySet<string> | undefined {
	const text = textOf(file)?.replace(/^\ufeff/, "");
	const isRead = text !== undefined && text.length <= limits.pointerBytes && !text.includes("\ufffd");
	const lines = text?.split("\n") ?? [];
	if (!isRead || lines.some((line) => line.startsWith("!"))) return undefined;
	return new Set(lines.flatMap((line) => /^(?:\*\*\/)?([\w.-]+)\/?[ \t\r]*$/.exec(line)?.[1] ?? []));
}

function entriesNamed(directory: string): Entries {
	const entries = new Map<string, Stats>();
	for (const name of [...names, ".git", ".jj"]) {
		try {
			const info = lstatSync(join(directory, name), { throwIfNoEntry: false });
			if (info) entries.set(name, info);
		} catch {
			// In a directory that this user may not enter, `rg` finds nothing either.
		}
	}
	return entries;
}

function isFile(path: string): boolean {
	try {
		return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
	} catch {
		// `rg` cannot get there either.
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
