/**
 * A closed description of the directory of a repository: what git keeps in each of its directories. In the directories that git
 * lists or writes into, everything has to be a file or directory that is described here. Names that git does not know, it does not
 * read either: ordinary files and directories there are those of other tools.
 */
import { basename, dirname } from "node:path";

import {
	alternates,
	referenceTexts,
	rootTexts,
	unfinishedTexts,
	workTreeTexts,
	type TextRule,
} from "./git-texts.ts";

/** A kind of directory. */
export interface GitPlace {
	/** Files that git would take for settings or remotes, and that tools of the user run. */
	readonly refused?: RegExp;
	/** Files whose content is looked at. */
	readonly texts?: readonly (readonly [RegExp, TextRule])[];
	/** What such files name may change without them. */
	readonly hasPaths?: boolean;
	/** Directories by name, undefined for those that are looked at elsewhere. Others do not belong there. */
	readonly directories?: readonly (readonly [RegExp, () => GitPlace | undefined])[];
	readonly role?: "repository" | "reference" | "modules" | "objects" | "plain" | "unread";
}

/** Files and directories of which git needs no more than that they are. A repository among them could be a submodule by its path. */
const plain: GitPlace = { role: "plain", directories: [[/^/, () => plain]] };

/** Other tools keep their files there. A repository among them is looked at like any that a command has made. */
const unread: GitPlace = { role: "unread" };

const references: GitPlace = {
	role: "reference",
	texts: referenceTexts,
	directories: [[/^/, () => references]],
};

const objects: GitPlace = {
	directories: [
		[/^[0-9a-f]{2}$/i, () => ({ role: "objects" })],
		[
			/^info$/i,
			() => ({
				refused: /^http-alternates$/i,
				texts: [[/^alternates$/i, alternates]],
				hasPaths: true,
				directories: [[/^commit-graphs$/i, () => ({})]],
			}),
		],
		[/^pack$/i, () => ({ directories: [[/^multi-pack-index\.d$/i, () => ({})]] })],
		[/^(?:tmp|incoming|bulk-fsync|quarantine)/i, () => plain],
	],
};

const unfinished: GitPlace = { texts: unfinishedTexts, directories: [[/^/, () => plain]] };

/** A submodule's name may have slashes: a directory is its repository where git takes it for one. */
const modules: GitPlace = { role: "modules", directories: [[/^/, () => modules]] };

/** Where git's oldest versions kept remotes: a push runs hooks of the repository that one names. */
const noFiles: GitPlace = { refused: /^/ };

const worktrees: GitPlace = { directories: [[/^/, () => workTreeDirectory]] };

export const gitDirectory: GitPlace = {
	role: "repository",
	refused: /^(?:commondir|lazygit\.yml)$/i,
	texts: rootTexts,
	directories: [
		// Protected by mounts, or disabled.
		[/^hooks$/i, () => plain],
		[/^refs$/i, () => references],
		[/^objects$/i, () => objects],
		[/^info$/i, () => ({ refused: /^grafts$/i, directories: [[/^/, () => plain]] })],
		[/^(?:rebase-merge|rebase-apply|sequencer)$/i, () => unfinished],
		[/^(?:remotes|branches)$/i, () => noFiles],
		[/^worktrees$/i, () => worktrees],
		[/^modules$/i, () => ({ directories: [[/^/, () => modules]] })],
		[
			/^(?:logs|rr-cache|lost-found|reftable|NOTES_MERGE_WORKTREE|fsmonitor--daemon|lfs|annex|svn)$/i,
			() => plain,
		],
		// Sapling and Arcanist read settings there that run programs.
		[/^(?:sl|arc)$/i, () => ({ refused: /^(?:config|hgrc)$/i, role: "unread" })],
		[/^/, () => unread],
	],
};

/** That of a linked worktree, below `worktrees`. */
const workTreeDirectory: GitPlace = {
	...gitDirectory,
	refused: /^lazygit\.yml$/i,
	texts: workTreeTexts,
	hasPaths: true,
};

/** Of a submodule: git may take what is in any of its directories for another one, whose name continues. */
export const moduleDirectory: GitPlace = {
	...gitDirectory,
	directories: (gitDirectory.directories ?? []).map(([name, place]) =>
		place()?.role === "unread" ? [name, () => ({ ...place(), ...plain })] : [name, place],
	),
};

export function placeOf(gitDir: string): GitPlace {
	return basename(dirname(gitDir)) === "worktrees" ? workTreeDirectory : gitDirectory;
}
