/** What the handler of a program may use to say what a call of it does. */
import type { Arg } from "../args.ts";
import type { CommandEffect } from "../facts.ts";
import type { WriteKind } from "../findings.ts";
import type { ShellState } from "../shell-state.ts";

/** What a program reads from its standard input. */
export type Input =
	| { readonly kind: "none" }
	/** Another program's output, or a file. */
	| { readonly kind: "stream"; readonly separated?: boolean; readonly prefix?: string }
	/** A heredoc or a here-string. */
	| { readonly kind: "text"; readonly text: Arg };

export interface Verdict {
	readonly effect: CommandEffect;
	readonly network?: boolean;
	readonly danger?: string | undefined;
}

/** How a program starts another one. */
export interface Started {
	/** The other one with its words, if they are not those of the call. */
	readonly args?: readonly Arg[];
	readonly input?: Input;
	/** Variables that it gets. */
	readonly assignments?: readonly { readonly name: string; readonly value: string | undefined }[];
}

export interface Call {
	readonly name: string;
	/** The program and its words. */
	readonly args: readonly Arg[];
	readonly text: string;
	readonly state: ShellState;
	readonly home: string;
	readonly input: Input;
	/** Names of variables that can change what programs do. */
	readonly environment: readonly string[];
	/** The list may be incomplete. */
	unknown(reason: string): void;
	/** `isTree`: with everything below it; `deletes`: it is gone afterwards. */
	write(arg: Arg, isTree?: true, deletes?: true): void;
	/** Writes in a directory, as `how` says. */
	writeIn(arg: Arg, how: WriteKind): void;
	/** What it puts there may be a link, also below. */
	arrives(arg: Arg): void;
	/** Whether `..` in a path may be beside what a link leads to, and not above its name. */
	mayPassLink(path: string): boolean;
	/** The shell changes to this directory. */
	visits(arg: Arg): void;
	read(arg: Arg): void;
	/** Git looks for a repository in this directory, or in the current one. */
	repository(directory: Arg | undefined): void;
	/** Lists this call itself. */
	run(verdict: Verdict): void;
	/** Judges the words after `start` as a command that this one starts; functions are not among them. */
	wraps(start: number, options?: Started): void;
	/**
	 * Judges a script that this one runs: in the same shell for `eval`, later for `trap`. One that only
	 * the shell knows is unknown.
	 */
	script(script: Arg | undefined, options?: { sameShell?: boolean; isLater?: boolean; input?: Input }): void;
}

export type Handler = (call: Call) => void;
