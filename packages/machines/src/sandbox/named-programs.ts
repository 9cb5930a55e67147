/** Files of a project that git runs because settings name them. */
import { resolve } from "node:path";

import type { GitSetting } from "@tau/sys";
import { isBelow } from "./below.ts";
import { realPath } from "./git-directories.ts";
import type { GitUser } from "./git-user.ts";
import { odd, pathsMeant } from "./git-values.ts";
import { entriesOf } from "./hidden-names.ts";
import { stepsOf } from "./link-steps.ts";
import { statsOf } from "./stats-of.ts";

/**
 * The files that the values of settings name, for a work tree at `root`, and what would be run but is not there yet. Any setting may
 * name a program, but for those whose values are known to be something else. `isMade`: commands have made the work tree, where
 * an alias names data of theirs, most of all: of one, only what begins a command counts.
 */
export function programsIn(
	settings: readonly GitSetting[],
	root: string,
	user?: GitUser,
	isMade = false,
): string[] {
	const found = new Set<string>();
	for (const { section, key, value } of settings) {
		if (noPrograms.has(section) || noPrograms.has(`${section}.${key}`)) continue;
		const isPath =
			// What `git init` copies hooks from.
			(section === "init" && key === "templatedir") ||
			// A shell would not take it for a path, which the words of such a value are not either.
			/^(?:%\(prefix\)|:\(optional\))/.test(value);
		const paths = isPath
			? pathsMeant(value, user).map((path) => resolve(root, path))
			: new NamedFiles(root, user).in(value, section === "alias", isMade);
		for (const path of paths) found.add(path);
	}
	return [...found].flatMap(stepsOf);
}

/** Settings of names, addresses and data: a project has some of the files, and commands may change them. */
const noPrograms: ReadonlySet<string> = new Set(
	"advice author branch color committer include includeif mailmap user blame.ignorerevsfile commit.template diff.orderfile format.signaturefile core.attributesfile core.excludesfile core.hookspath core.worktree gpg.allowedsignersfile gpg.revocationfile remote.fetch remote.push remote.pushurl remote.url submodule.url".split(
		" ",
	),
);

/** Commands of git that run nothing that their words name: aliases may name what a build writes for them. */
const dataCommands =
	/(^|[;&|(){}!\n])\s*git(?:-lfs|\s+(?:add|blame|branch|checkout|clean|commit|describe|diff|log|ls-files|reset|restore|rev-list|rev-parse|rm|show|shortlog|lfs|stash|status|switch|tag))(?=\s|$)(?::\([\w,:/-]*\)|[^;&|(){}\n])*/g;
/** The first word of a command, if it is a path. */
const firstWord =
	/(?:^|[;&|(){}!\n"'`=]|\b(?:then|do|else|elif|if|while|until|time|exec|command)\b)\s*(?:\w+=\S*\s+)*([^\s;&|(){}<>"'`=!]*\/[^\s;&|(){}<>"'`=!]*)/g;
const wordOfShell = /(?:\\.|"[^"]*"|'[^']*'|[^\s;&|(){}<>"'`\\])+/g;
const separators = /[\s;&|(){}<>"'`=,@!]+|:(?!\/\/)/;
/** The directories of one line in which its words may be files; most name none. */
const mostDirectories = 50;

type Kind = "file" | "directory" | "absent";

/**
 * Whatever stands in front of it, a file that a line names may be run, or read as a script. So all words count, however the
 * line is split into words, in the work tree and in each directory that the line names.
 */
class NamedFiles {
	readonly #root: string;
	readonly #user: GitUser | undefined;
	readonly #directories: Set<string>;
	readonly #kinds = new Map<string, Kind>();

	constructor(root: string, user?: GitUser) {
		this.#root = root;
		this.#user = user;
		this.#directories = new Set([root]);
	}

	in(value: string, isAlias: boolean, isMade: boolean): string[] {
		// One plain word is found on PATH.
		if (/^[\w.-]*$/.test(value)) return [];
		// An alias without a shell is a command of git.
		const lines = linesOf(isAlias && !value.startsWith("!") ? `git ${value}` : value, this.#user?.home);
		const words = new Set([value, ...lines.flatMap(wordsOf)]);
		const first = new Set(lines.flatMap((line) => [...line.matchAll(firstWord)].map(([, word]) => word)));
		for (const word of words) this.#addDirectories(word);
		for (const word of lines.flatMap(enteredIn)) this.#addDirectories(word, true);
		return [...words].flatMap((word) => {
			const isRun = first.has(word);
			if (isAlias && isMade && !isRun) return [];
			// Of an alias, what is not there may be what it makes.
			const mayBeNew = isRun || (!isAlias && /\/|\w\.[a-z]\w*$/i.test(word) && !word.startsWith("-"));
			const mayBeMade = mayBeNew && !/[%*?;&|(){}<>"'`=!]|\/$|\s-|:\/\//.test(word);
			return [...this.#directories]
				.map((directory) => this.#at(word, directory))
				.filter((path) => this.#isNamed(path, isRun, mayBeMade));
		});
	}

	#at(word: string, directory: string): string {
		return resolve(directory, pathsMeant(word, this.#user)[0] ?? word);
	}

	#addDirectories(word: string, mayBeNew = false): void {
		for (const directory of this.#directories) {
			const path = this.#at(word, directory);
			if (this.#directories.size === mostDirectories) return;
			const isOfKind = (kind: Kind): boolean => this.#kindOf(path) === kind;
			if (isOfKind("directory") || (mayBeNew && isOfKind("absent"))) this.#directories.add(path);
		}
	}

	#isNamed(path: string, isRun: boolean, mayBeMade: boolean): boolean {
		if (path.includes(odd)) return isBelow(path, this.#root) && (isRun || isOddEntry(path));
		const kind = this.#kindOf(path);
		return kind === "file" || (kind === "absent" && mayBeMade);
	}

	#kindOf(path: string): Kind {
		const kind = this.#kinds.get(path) ?? kindOf(path);
		this.#kinds.set(path, kind);
		return kind;
	}
}

/**
 * The line and those inside of it. Variables lead to the work tree, most of all, as `$(git rev-parse --show-toplevel)` does, or to
 * `.git`, or are a part of a name.
 */
function linesOf(value: string, home = "~"): string[] {
	const lines: string[] = [];
	const inner = /\$\(([^()]*)\)|`([^`]*)`|\$\{\w+:?[-=+]([^{}]*)\}/;
	let line = value
		.replaceAll(/\$\{?HOME\b\}?/g, () => home)
		.replaceAll(/\$\{?GIT_DIR\b\}?|\$\(git rev-parse --[a-z-]*git[a-z-]*dir\)/g, ".git");
	for (let match = inner.exec(line); match; match = inner.exec(line)) {
		const [whole, command, quoted, otherwise] = match;
		lines.push(command ?? quoted ?? otherwise ?? "");
		line = `${line.slice(0, match.index)}.${line.slice(match.index + whole.length)}`;
	}
	const variable = /\$(?:\{[^}]*\}|\w+)/g;
	const all = [line, ...lines].flatMap((each) => [
		each.replaceAll(variable, "."),
		each.replaceAll(variable, ""),
	]);
	return [...new Set(all)].map((each) => each.replaceAll(dataCommands, "$1"));
}

/** As a shell reads them, what is in quotes, and what is between any two characters that mean something to a shell. */
function wordsOf(line: string): string[] {
	const words = [...new Set([line, line.replaceAll(/\\(.)/gs, "$1")])].flatMap((text) => [
		...(text.match(wordOfShell) ?? []).map((word) => word.replaceAll(/\\(.)|["']/gs, "$1")),
		...[...text.matchAll(/"([^"]+)"/g), ...text.matchAll(/'([^']+)'/g)].map(([, quoted = ""]) => quoted),
		...text.split(separators),
	]);
	const options = words.flatMap((word) => [
		/^-[a-z](.+)/i.exec(word)?.[1] ?? "",
		/=(.+)/s.exec(word)?.[1] ?? "",
	]);
	return [...words, ...options].filter((word) => word !== "");
}

/** Directories that a line enters, and that may not be there yet. */
function enteredIn(line: string): string[] {
	return [...line.matchAll(/\b(?:cd|pushd)\s+([^\s;&|"']+)/g)].map(([, name = ""]) => name);
}

/** A link to a directory is one. */
function kindOf(path: string): Kind {
	const stats = statsOf(path);
	if (stats === undefined) return "absent";
	const real = stats.isSymbolicLink() ? realPath(path) : undefined;
	return (real === undefined ? stats : statsOf(real))?.isDirectory() === true ? "directory" : "file";
}

/** Text in a value looks like a file whose name is not text more often than it is one. */
function isOddEntry(path: string): boolean {
	const names = path.split("/");
	const first = names.findIndex((name) => name.includes(odd));
	return entriesOf(names.slice(0, first).join("/")).some(({ name }) => name === names[first]);
}
