/** The options and events of a search. */

export interface SearchOptions {
	pattern: string;
	/** Files or directories. An ignored directory is searched when it is named here. */
	paths: readonly string[];
	/** The base of relative paths and globs. */
	cwd: string;
	/** True if the pattern is text, not a regular expression. */
	literal?: boolean;
	ignoreCase?: boolean;
	/** Matches may span lines, and `.` matches line ends. */
	multiline?: boolean;
	/** Lines around each match. */
	before?: number;
	after?: number;
	/** Only files that match all of these (see `compileGlob`); globs never override ignore files. */
	globs?: readonly string[];
	/** Only files of these types, by ripgrep's names. */
	types?: readonly string[];
	/** Also search names that begin with a dot; default true. `.git` is never searched. */
	hidden?: boolean;
	/** Skip ignored files; default true. */
	gitignore?: boolean;
	/** Also search inside `node_modules`; default true. */
	nodeModules?: boolean;
	/** Stop after this many matches ... */
	maxMatches?: number;
	/** ... and in each file after this many matching lines. */
	maxPerFile?: number;
	/** Maximum characters of a line. */
	lineChars?: number;
	timeoutMs?: number;
	signal?: AbortSignal;
	/** The path under which this process opens a file that ripgrep names, where that differs. */
	ownPath?(path: string): string;
}

/** Start and end in the text of a line. */
export type Range = readonly [start: number, end: number];

export interface MatchedLine {
	number: number;
	/** The line without its line end; cut to a bound, with `…` for missing parts. */
	text: string;
	ranges: readonly Range[];
}

export type SearchEvent =
	/** Several lines if a match spans them. */
	| { type: "match" | "context"; path: string; lines: readonly MatchedLine[] }
	/** Emitted after all lines of a file with matches; a binary file is not worth showing. */
	| { type: "end"; path: string; matches: number; isBinary: boolean };

export type SearchOutcome =
	| {
			ok: true;
			matches: number;
			files: number;
			/** Why there may be more matches than were emitted. */
			stopped?: "limit" | "timeout" | "abort";
			/** Files that could not be read. */
			problems: readonly string[];
	  }
	| {
			ok: false;
			/** The cause: the pattern, another option, a missing ripgrep, or something else. */
			reason: "pattern" | "option" | "missing" | "failed";
			message: string;
			/** The position of the error in the pattern, in characters from 0. */
			at?: number;
	  };
