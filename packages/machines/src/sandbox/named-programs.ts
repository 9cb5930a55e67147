/** Files of a project that git runs because settings name them. */
import { resolve } from "node:path";

import type { GitSetting } from "@tau/sys";
import { isBelow } from "./below.ts";
import type { GitUser } from "./git-user.ts";
import { odd, pathsMeant } from "./git-values.ts";
import { entriesOf } from "./hidden-names.ts";
import { stepsOf } from "./link-steps.ts";
import { limits } from "./limits.ts";
import { statsOf } from "./stats-of.ts";

/**
 * The files that the values of settings name, for a work tree at `root`: those that can be run, those that an interpreter gets, and
 * what would be run but is not there yet. Any setting may name a program, but for those whose values are known to be something else.
 * An alias may name what a build writes: of its words, only those that it runs count.
 */
export function programsIn(settings: readonly GitSetting[], root: string, user?: GitUser): string[] {
	const found = new Set<string>();
	for (const { section, key, value } of settings) {
		if (noPrograms.has(section) || noPrograms.has(`${section}.${key}`)) continue;
		// What `git init` copies hooks from.
		if (section === "init" && key === "templatedir") addAll(found, pathsMeant(value, user), root);
		// A shell would not take it for a path, which the words of such a value are not either.
		else if (/^(?:%\(prefix\)|:\(optional\))/.test(value)) addAll(found, pathsMeant(value, user), root);
		// Most values have no path, and are no words for a shell either.
		else if (/[\s/]/.test(value))
			for (const path of filesNamedBy(value, root, section === "alias", user)) found.add(path);
	}
	return [...found].slice(0, limits.namedPrograms).flatMap(stepsOf);
}

/** Settings of names, addresses and data: a project has some of the files, and commands may change them. */
const noPrograms: ReadonlySet<string> = new Set(
	"advice author branch color committer include includeif mailmap user blame.ignorerevsfile commit.template diff.orderfile format.signaturefile core.attributesfile core.excludesfile core.hookspath core.worktree gpg.allowedsignersfile gpg.revocationfile remote.fetch remote.push remote.pushurl remote.url submodule.url".split(
		" ",
	),
);

/** What comes behind is run, or read as a script. */
const interpreter =
	/^(?:[a-z]*sh|node|nodejs|bun|deno|tsx|python[\d.]*|perl|ruby|php|lua|awk|source|\.|env|exec|command|nice|nohup|setsid|sudo|time|timeout|xargs)$/;
/** What a program that does not exist may be called. */
const plainName = /^[\w.@+~/ -]+$/;

function addAll(found: Set<string>, paths: readonly string[], root: string): void {
	for (const path of paths) found.add(resolve(root, path));
}

function filesNamedBy(value: string, root: string, isAlias: boolean, user?: GitUser): string[] {
	// Variables lead to the work tree, most of all, and `$(git rev-parse --show-toplevel)` does.
	const text = value
		.replaceAll(/\$\{?HOME\}?/g, user?.home ?? "~")
		.replaceAll(/\$(?:\([^)]*\)|\{[^}]*\}|\w+)/g, ".");
	const at = (word: string): string => resolve(root, pathsMeant(word, user)[0] ?? word);
	const quoted = [...text.matchAll(/"([^"]+)"|'([^']+)'/g)].map(([, one, other]) => one ?? other ?? "");
	const paths = [text, ...quoted]
		.filter((path) => path.includes("/") && (isRunnable(at(path)) || isOddEntry(at(path), root)))
		.map(at);
	// The first word of each command, and all behind an interpreter.
	let isFirst = true;
	let isRead = false;
	for (const [token] of text.matchAll(/[;&|(){}`"'!=]|(?:\\.|[^\s;&|(){}`"'!<>=\\])+/g)) {
		if (/^[;&|(){}`"'!=]$/.test(token)) {
			isFirst = true;
			isRead &&= /^["'=]$/.test(token);
			continue;
		}
		const word = token.replaceAll(/\\(.)/g, "$1");
		const hasSlash = word.includes("/");
		const mayRun = isRead || (hasSlash && isFirst);
		const stats = statsOf(at(word));
		const isIt =
			stats === undefined
				? mayRun && hasSlash && (plainName.test(word) || isOdd(at(word), root))
				: mayRun || (hasSlash && !isAlias && isRunnable(at(word)));
		if (isIt && !stats?.isDirectory()) paths.push(at(word));
		isRead ||= interpreter.test(word.slice(word.lastIndexOf("/") + 1));
		isFirst = false;
	}
	return paths;
}

/** A file of the project whose name is not text cannot be looked at. */
function isOdd(path: string, root: string): boolean {
	return path.includes(odd) && isBelow(path, root);
}

/** Text in a value looks like one more often than it is one. */
function isOddEntry(path: string, root: string): boolean {
	if (!isOdd(path, root)) return false;
	const names = path.split("/");
	const first = names.findIndex((name) => name.includes(odd));
	return entriesOf(names.slice(0, first).join("/")).some(({ name }) => name === names[first]);
}

function isRunnable(path: string): boolean {
	const stats = statsOf(path);
	if (stats === undefined || stats.isDirectory()) return false;
	return stats.isSymbolicLink() || (stats.mode & 0o111n) !== 0n;
}
