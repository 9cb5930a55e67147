/** What is known about a shell command before it runs: its programs, the files it would change, what stays unknown. */

export interface CommandFacts {
	/** Every simple command that would run, in order, with those inside wrappers, substitutions and heredocs. */
	readonly programs: readonly ProgramRun[];
	/** Files that redirections or known writers (`tee`, `cp`, `rm`, `sed -i`, `--output=`) would change. */
	readonly writes: readonly CommandWrite[];
	/** Literal paths that would be read, absolute, as far as known. */
	readonly reads: readonly string[];
	/** Directories that would be read with everything below them (`grep -r x ~`), absolute, as far as known. */
	readonly readTrees: readonly string[];
	/** Those of them below which links are followed, too (`grep -R`). */
	readonly followedTrees: readonly string[];
	/** Patterns of paths that would be read (`cat .e*`), absolute. */
	readonly readGlobs: readonly string[];
	/** Those of them that are read with everything below them. */
	readonly treeGlobs: readonly string[];
	/** Directories in which git looks for a repository. */
	readonly repositories: readonly string[];
	/** Why the lists may be incomplete; absent if they are complete. */
	readonly unknown?: string;
	/** Why the lists say enough only where something contains the command; absent for commands of plain words. */
	readonly intricate?: string;
}

export interface CommandWrite {
	/** Absolute; absent when only the shell can know it. */
	readonly path?: string;
	/** As written in the command. */
	readonly text: string;
	/** Everything below the path may change, too. */
	readonly isTree?: true;
	/** It is deleted. */
	readonly deletes?: true;
	/** It gets another name, with the links that are below it. */
	readonly moves?: true;
	/** Files of other names are written in this directory. */
	readonly into?: true;
	/** Written only if its parent is a directory: `cp a b` writes b, or b/a. */
	readonly inDirectory?: true;
}

/**
 * - `read`: in the table of read-only commands, with these flags.
 * - `write`: changes files only (`mkdir`, `cp`, `rm`, `git add`).
 * - `exec`: runs code of the project or anything else (`npm test`, `make`, `python`).
 */
export type CommandEffect = "read" | "write" | "exec";

export interface ProgramRun {
	/** Base name of a literal program word, such as `git`. */
	readonly name: string;
	/** Words after quotes are removed, with the program itself; undefined where only the shell can expand it. */
	readonly argv: readonly (string | undefined)[];
	/** As written, for display. */
	readonly text: string;
	readonly effect: CommandEffect;
	/** Known to need the network (`curl`, `git push`, `npm install`). */
	readonly network?: boolean;
	/** Why it is asked about where nothing contains it, although it is known; absent if it is on the closed list. */
	readonly unlisted?: string;
	/** That is because a name that a pattern gives may be an option. */
	readonly hasPattern?: true;
	/** Why it is hard to take back, or acts outside of this machine. */
	readonly danger?: string;
	/** In which it may be started; absent if only the shell knows. */
	readonly directories?: readonly string[];
	/** Wrappers around it, outermost first, such as `["sudo", "xargs"]`. */
	readonly within: readonly string[];
	/** Names of environment variables set for it that can change what it does; an allow rule does not match then. */
	readonly environment: readonly string[];
	/** Those variables with their values (`PYTHONPATH=src`), if all are known. */
	readonly assignments?: readonly string[];
	/** The wrapper that starts it, with the index in its words where this program begins. */
	readonly outer?: { readonly argv: readonly (string | undefined)[]; readonly start: number };
}

/** Where a command would start. */
export interface CommandLocation {
	readonly cwd: string;
	readonly home: string;
	/** A link leads to `cwd`, so that `..` is not the directory above its name. */
	readonly isLinked?: boolean;
	/** A pattern at the start of a word (`*.txt`) gives names there that begin with a letter, a digit, `_` or a dot. */
	readonly areNames?: boolean;
	/** The program that runs it, `bash` if absent; the language of zsh or fish is not understood. */
	readonly shell?: string;
}
