/**
 * What git's own files may say, where their content decides what git runs, or which files it writes and reads: references that lead
 * to references alone, unfinished work with the options that git writes, and directories inside of the project.
 */
import { lstatSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

import { readWritten } from "@tau/sys";

import { pointerAt, realPath } from "./git-directories.ts";

/** Where a file lies, and what commands can write. */
export interface TextPlace {
	/** The directory of the file. */
	readonly directory: string;
	readonly isWritable: (path: string) => boolean;
}

/** Whether the content is of a kind that git writes there. */
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
	/^(?:[0-9a-f]{40}(?:[0-9a-f]{24})?(?:\s|$)|ref:\s*refs\/(?!\S*\.\.)[^\0\s]+\s*$|[\s\0]*$|this repository uses the reftable format)/,
);

const quoted = String.raw`'(?:[^'\\]|\\[^'!]|'\\['!]')*'`;

/** By the name of a file in the directory of a repository. */
export const rootTexts: readonly (readonly [RegExp, TextRule])[] = [
	[
		/^(?:[A-Z_]*HEAD|AUTO_MERGE|BISECT_EXPECTED_REV|NOTES_MERGE_PARTIAL|NOTES_MERGE_REF|MERGE_AUTOSTASH)$/i,
		reference,
	],
	// An option of `git checkout` otherwise.
	[/^BISECT_START$/i, matches(/^(?:[^\s-]\S*)?\s*$/)],
	// Shells of older versions evaluate it.
	[/^BISECT_NAMES$/i, matches(new RegExp(`^(?:\\s*${quoted})*\\s*$`))],
];

/** Names with a dot in front, and locks, are none. */
export const referenceTexts: readonly (readonly [RegExp, TextRule])[] = [[/^[^.](?!.*\.lock$)/, reference]];

/** Of `rebase-merge`, `rebase-apply` and `sequencer`. Their lists of programs and strategies are in `disarm.ts`. */
export const unfinishedTexts: readonly (readonly [RegExp, TextRule])[] = [
	// Others are written over files outside (`--build-fake-ancestor`).
	[
		/^apply-opt$/i,
		matches(
			/^(?:\s*'(?:--(?:whitespace|directory|exclude|include)=[^']*|--(?:ignore-space-change|ignore-whitespace|reject)|-[Cp]\d*)')*\s*$/,
		),
	],
	// Older versions take each variable into the environment of git.
	[
		/^author-script$/i,
		matches(new RegExp(`^(?:GIT_(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE)=${quoted}\\s*)*$`)),
	],
	// A key may be the path of a file.
	[/^gpg_sign_opt$/i, matches(/^(?:-S[^/\n]*|--no-gpg-sign)?\s*$/)],
	[/^head-name$/i, matches(/^(?:refs\/(?!\S*\.\.)\S+|detached HEAD)?\s*$/)],
	[/^autostash$/i, matches(/^[0-9a-f]*\s*$/)],
	// Three lines each: the reference, what it was and what it becomes.
	[
		/^update-refs$/i,
		(text) =>
			text
				.split("\n")
				.every((line, index) =>
					index % 3 === 0 ? /^(?:refs\/(?!.*\.\.)\S+)?$/.test(line) : /^[0-9a-f]*$/.test(line),
				),
	],
	[/^todo$/i, (text) => !/^[ \t]*(?:exec|x|update-ref|u)(?:[ \t\r]|$)/m.test(text)],
];

/** Objects that git reads from other directories, and from those that these name. */
export const alternates: TextRule = (text, place) => isBelowAll(text, place, 0);

/** Git follows five of them. */
const alternateDepth = 6;

function isBelowAll(text: string, { directory, isWritable }: TextPlace, depth: number): boolean {
	const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
	return lines.every((line) => {
		const path = resolve(dirname(directory), line);
		const real = realPath(path);
		if (line.startsWith('"') || real === undefined || !isWritable(real) || depth > alternateDepth)
			return false;
		const info = join(real, "info");
		if ([info, join(real, "pack")].some((each) => (realPath(each) ?? each) !== each)) return false;
		const next = join(info, "alternates");
		if (lstatSync(next, { throwIfNoEntry: false }) === undefined) return true;
		const more = readWritten(next)?.toString("utf8");
		return more !== undefined && isBelowAll(more, { directory: info, isWritable }, depth + 1);
	});
}

/** Of a worktree: the directory of the repository, which is the one above `worktrees`. */
const commonDirectory: TextRule = (text, { directory }) =>
	resolve(directory, text.trim()) === dirname(dirname(directory)) && !text.trim().includes("\n");

/** Of a worktree: its `.git` file. One where commands cannot write is the user's if it leads back. */
const workTreeFile: TextRule = (text, { directory, isWritable }) => {
	const file = resolve(directory, text.replace(/\n$/, ""));
	const above = realPath(dirname(file));
	if (above === undefined) return isWritable(file) && !file.includes("\n");
	if (isWritable(above)) return true;
	const pointer = pointerAt(join(above, ".git"));
	return typeof pointer === "object" && realPath(resolve(above, pointer.target)) === directory;
};

export const workTreeTexts: readonly (readonly [RegExp, TextRule])[] = [
	[/^commondir$/i, commonDirectory],
	[/^gitdir$/i, workTreeFile],
	...rootTexts,
];
