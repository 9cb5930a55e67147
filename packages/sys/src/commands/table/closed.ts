/**
 * The programs that run unasked where nothing contains commands, each with all the options that it may have then
 * (`closed.json`). This is a closed list: a program, an option, or one more operand that is not there is asked about.
 *
 * Left out on purpose, beside all that writes, runs or connects: options that name files which are read as lists, patterns,
 * scripts or settings (`grep -f`, `wc --files0-from`, `git blame -S`), and those that mean something else in BSD.
 */
import { words } from "../args.ts";
import source from "./closed.json" with { type: "json" };
import { byName } from "./known.ts";

/** What a value or an operand is; `closed-kinds.ts` says what each may look like. */
export type Kind =
	| "number"
	| "word"
	| "text"
	| "list"
	| "moment"
	| "mode"
	| "plus"
	| "dateFormat"
	| "format"
	| "prettyFormat"
	| "range"
	| "sortKey"
	| "variable"
	| "rev"
	| "head"
	| "key"
	| "sed"
	| "awk"
	| "jq"
	| "path"
	| "directory"
	| "write";

export interface ClosedRow {
	/** Letters of options without a value, which may be joined: `-la`. */
	readonly flags?: string;
	/** Letters with a value, in the same word or the next: `n:number`. */
	readonly valued?: string;
	/** Letters whose value, if any, is the rest of their word: `git diff -M90`. */
	readonly attached?: string;
	/** Long options: `all`, `lines=number`, and `color?=word` where only `--color=x` has a value; `@log` is a list of them. */
	readonly long?: string;
	/** Whole words, whatever they begin with, with values in the next ones: `-name:text`. */
	readonly words?: string;
	/** `head -5`. */
	readonly digits?: boolean;
	/** Kinds in order; one with a star may be repeated. None, if absent. */
	readonly operands?: string;
	/** Options that take the place of the first operand: `grep -e x`. */
	readonly instead?: string;
	/** It has operands only with one of these. */
	readonly lists?: string;
	/** Only with one of these. */
	readonly needs?: string;
	/**
	 * Where options may be: `first` before all operands, `last` behind them, `any` everywhere. Without it they may be
	 * everywhere, but BSD and POSIXLY_CORRECT take those behind an operand for files: they count as such, too.
	 */
	readonly order?: string;
	/** Every word is text: `echo`. */
	readonly isText?: boolean;
	/** `@x` stands for the words in the file x. */
	readonly hasLists?: boolean;
	/** `seq 3 -1 1`. */
	readonly isNegative?: boolean;
	/** Operands are sources, the last is where they go: `cp a b d`. */
	readonly moves?: boolean;
	/** Find and xargs may start it: it reads the files that it is given, and nothing else. */
	readonly starts?: boolean;
	/** It starts a program of the list, which is judged by its own row: `exec` as find does, `rest` as xargs. */
	readonly commands?: string;
}

const programs: ReadonlyMap<string, ClosedRow> = byName<ClosedRow>(source.programs);
/** One or two words: `log`, `stash:list`. */
const ofGit: ReadonlyMap<string, ClosedRow> = byName<ClosedRow>(source.git);
const lists: Readonly<Record<string, string>> = source.options;

export function closedProgram(name: string): ClosedRow | undefined {
	return programs.get(name);
}

export function closedGit(subcommand: string): ClosedRow | undefined {
	return ofGit.get(subcommand);
}

/** The words of `long`, with those of the lists that it names. */
export function longOptions({ long = "" }: ClosedRow): string[] {
	const expanded = (text: string): string =>
		text.replaceAll(/@(\w+)/gu, (_, name: string) => expanded(lists[name] ?? ""));
	return [...words(expanded(long))];
}

/** The names of all programs. */
export function closedPrograms(): string[] {
	return [...programs.keys(), "git"];
}

/** All rows, for tests. */
export function closedRows(): [string, ClosedRow][] {
	const git = [...ofGit].map(([name, row]): [string, ClosedRow] => [`git ${name.replace(":", " ")}`, row]);
	return [...programs, ...git];
}
