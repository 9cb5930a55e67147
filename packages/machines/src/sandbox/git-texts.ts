/**
 * What git's own files may say, where their content decides what git runs, or which files it writes and reads: references that lead
 * to references alone, unfinished work with the options that git writes, and directories inside of the project.
 */
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

import { readWritten } from "@tau/sys";

import { goesBack, pointerAt, realPath, textOf } from "./git-directories.ts";
import { statsOf } from "./stats-of.ts";

/** Where a file lies, and what commands can write. */
export interface TextPlace {
	/** The directory of the file. */
	readonly directory: string;
	readonly isWritable: (path: string) => boolean;
}

/** Whether the content is of a kind that git writes there. White space is git's, which has four characters and not those of `\s`. */
export type TextRule = (text: string, place: TextPlace) => boolean;

const matches =
	(pattern: RegExp): TextRule =>
	(text) =>
		pattern.test(text);

/**
 * Git writes the file that a symbolic reference names, also one that is no reference: by way of `ref: commondir`, a plain `git reset`
 * would give the repository other settings. Empty ones are what a crash leaves.
 */
const reference = matches(
	/^(?:[0-9a-f]{40}(?:[0-9a-f]{24})?(?:[ \t\n\r]|$)|ref:[ \t\n\r]*refs\/(?![^]*\.\.)[^\0- \x7f]+[ \t\n\r]*$|[ \t\n\r\0]*$|this repository uses the reftable format)/,
);

const quoted = String.raw`'(?:[^'\\]|\\[^'!]|'\\['!]')*'`;

/** By the name of a file in the directory of a repository. */
export const rootTexts: readonly (readonly [RegExp, TextRule])[] = [
	[
		/^(?:[A-Z_]*HEAD|AUTO_MERGE|BISECT_EXPECTED_REV|NOTES_MERGE_PARTIAL|NOTES_MERGE_REF|MERGE_AUTOSTASH)$/i,
		reference,
	],
	// An option of `git checkout` otherwise.
	[/^BISECT_START$/i, matches(/^(?:[^\0- -][^\0- ]*)?[ \t\n\r]*$/)],
	// Shells of older versions evaluate it.
	[/^BISECT_NAMES$/i, matches(new RegExp(`^(?:[ \\t\\n\\r]*${quoted})*[ \\t\\n\\r]*$`))],
];

/** Names with a dot in front, and locks, are none. */
export const referenceTexts: readonly (readonly [RegExp, TextRule])[] = [[/^[^.](?!.*\.lock$)/, reference]];

/** Of `rebase-merge`, `rebase-apply` and `sequencer`. Their lists of programs and strategies are in `disarm.ts`. */
export const unfinishedTexts: readonly (readonly [RegExp, TextRule])[] = [
	// Others are written over files outside (`--build-fake-ancestor`).
	[
		/^apply-opt$/i,
		matches(
			/^(?:[ \t\n\r]*'(?:--(?:whitespace|directory|exclude|include)=[^'\0]*|--(?:ignore-space-change|ignore-whitespace|reject)|-[Cp][0-9]*)')*[ \t\n\r]*$/,
		),
	],
	// Older versions take each variable into the environment of git.
	[
		/^author-script$/i,
		matches(new RegExp(`^(?:GIT_(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE)=${quoted}[ \\t\\n\\r]*)*$`)),
	],
	// A key may be the path of a file.
	[/^gpg_sign_opt$/i, matches(/^(?:-S[^/\n\0]*|--no-gpg-sign)?[ \t\n\r]*$/)],
	[/^head-name$/i, matches(/^(?:refs\/(?![^]*\.\.)[^\0- \x7f]+|detached HEAD)?[ \t\n\r]*$/)],
	[/^autostash$/i, matches(/^[0-9a-f]*[ \t\n\r]*$/)],
	// The prompt of git evaluates these numbers.
	[/^(?:msgnum|end|next|last)$/i, matches(/^[0-9]*[ \t\n\r]*$/)],
	// Three lines each: the reference, what it was and what it becomes.
	[
		/^update-refs$/i,
		(text) =>
			text
				.split("\n")
				.every((line, index) =>
					index % 3 === 0
						? /^(?:refs\/(?!.*\.\.)[^\0- \x7f\u2028\u2029]+)?$/.test(line)
						: /^[0-9a-f]*$/.test(line),
				),
	],
	[
		/^todo$/i,
		(text) => !text.split("\n").some((line) => /^[ \t]*(?:exec|x|update-ref|u)(?:[ \t\r]|$)/.test(line)),
	],
];

/** Objects that git reads from other directories, and from those that these name. */
export const alternates: TextRule = (text, place) => isBelowAll(text, place, 0);

/** Git follows five of them. */
const alternateDepth = 6;

function isBelowAll(text: string, { directory, isWritable }: TextPlace, depth: number): boolean {
	if (text.includes("\0")) return false;
	const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
	return lines.every((line) => {
		const path = resolve(dirname(directory), line);
		const real = realPath(path);
		if (line.startsWith('"') || goesBack(line) || real === undefined) return false;
		if (!isWritable(real) || depth > alternateDepth) return false;
		const info = join(real, "info");
		if ([info, join(real, "pack")].some((each) => (realPath(each) ?? each) !== each)) return false;
		const next = join(info, "alternates");
		if (statsOf(next) === undefined) return true;
		const bytes = readWritten(next);
		const more = bytes === undefined ? undefined : textOf(bytes);
		return more !== undefined && isBelowAll(more, { directory: info, isWritable }, depth + 1);
	});
}

/** Of a worktree: the directory of the repository, which is the one above `worktrees`. */
const commonDirectory: TextRule = (text, { directory }) => {
	const [, path] = /^([^\0\n\r]+)[\n\r]*$/.exec(text) ?? [];
	return path !== undefined && !goesBack(path) && resolve(directory, path) === dirname(dirname(directory));
};

/** Of a worktree: its `.git` file. One where commands cannot write is the user's if it leads back. */
const workTreeFile: TextRule = (text, { directory, isWritable }) => {
	const [, path] = /^([^\0\n\r]*\/\.git)[\n\r]*$/.exec(text) ?? [];
	if (path === undefined || goesBack(path)) return false;
	const file = resolve(directory, path);
	const above = realPath(dirname(file));
	// One that is there has a name that is not text.
	if (above === undefined) return isWritable(file) && !existsSync(dirname(file));
	if (isWritable(above)) return true;
	const pointer = pointerAt(join(above, ".git"));
	return typeof pointer === "object" && realPath(resolve(above, pointer.target)) === directory;
};

export const workTreeTexts: readonly (readonly [RegExp, TextRule])[] = [
	[/^commondir$/i, commonDirectory],
	[/^gitdir$/i, workTreeFile],
	...rootTexts,
];
