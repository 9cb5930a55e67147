/**
 * Patterns at the start of a word, such as `*.txt`: only the directory says whether a name that they give is an option.
 * Where it has no such name, and the command makes none, they are read as the names of files.
 */
import { readdirSync } from "node:fs";

import { commandFacts, type CommandFacts, type CommandLocation, type CommandWrite } from "@tau/sys/commands";

import { realPath } from "./real-path.ts";

export function factsWithNames(command: string, at: CommandLocation): CommandFacts {
	const facts = commandFacts(command, at);
	const mayHave =
		facts.programs.some(({ hasPattern }) => hasPattern) || leadingPatterns(facts, at).length > 0;
	if (!mayHave) return facts;
	const named = commandFacts(command, { ...at, areNames: true });
	const isSafe = keepsNames(named, at) && !hasOptions(leadingPatterns(named, at), at);
	return isSafe ? named : facts;
}

/** The first parts of patterns that are read in the directory in which the command starts: `*` of `*` and of `./*`/x. */
function leadingPatterns({ readGlobs, treeGlobs }: CommandFacts, { cwd }: CommandLocation): string[] {
	const start = cwd.endsWith("/") ? cwd : `${cwd}/`;
	const firsts = [...readGlobs, ...treeGlobs].flatMap((path) =>
		path.startsWith(start) ? (path.slice(start.length).split("/", 1)[0] ?? "") : [],
	);
	return [...new Set(firsts)].filter((name) => /[*?[]/.test(name));
}

/** All of it is known, it stays in its directory, and it makes no name that is an option: not even after the pattern. */
function keepsNames({ programs, writes, unknown, intricate }: CommandFacts, at: CommandLocation): boolean {
	const isPlain = unknown === undefined && intricate === undefined;
	const isKnown = programs.every(
		({ name, effect, unlisted }) => effect !== "exec" && unlisted === undefined && name !== "cd",
	);
	return isPlain && isKnown && writes.every((write) => isPlainWrite(write, at));
}

/** It deletes, or makes files and directories whose names are no options, also where a link to a name that is not there leads. */
function isPlainWrite({ path, isTree, deletes, into }: CommandWrite, { cwd }: CommandLocation): boolean {
	if (deletes) return true;
	if (path === undefined || isTree || into) return false;
	const roots = [cwd, realPath(cwd)];
	return [path, realPath(path)].every((each) => {
		const root = roots.find((parent) => each.startsWith(`${parent}/`)) ?? "";
		return each
			.slice(root.length + 1)
			.split("/")
			.every(startsLikeName);
	});
}

/** Whether a name there does not begin with a letter, a digit, `_` or a dot, and may be one that a pattern gives. */
function hasOptions(patterns: readonly string[], { cwd }: CommandLocation): boolean {
	const globs = patterns.map((pattern) => new Bun.Glob(widest(pattern).toLowerCase()));
	try {
		// As bytes: a name that is not UTF-8 may match anything.
		return readdirSync(cwd, { encoding: "buffer" }).some((bytes) => {
			const name = bytes.toString();
			if (startsLikeName(name)) return false;
			const isText = Buffer.from(name).equals(bytes);
			return !isText || globs.some((glob) => glob.match(name.toLowerCase()));
		});
	} catch {
		// What cannot be listed is not known.
		return true;
	}
}

/** Also in other scripts. */
export function startsLikeName(name: string): boolean {
	return /^[\p{L}\p{N}_.]/u.test(name);
}

/** Matches at least what bash matches, with any of its options and in any encoding. */
function widest(pattern: string): string {
	return pattern.replace(/\[.*\]/s, "*").replaceAll(/[^\p{L}\p{N}_. -]+/gu, "*");
}
