/** What a search asks for and what it tells. */

export interface SearchOptions {
	pattern: string;
	/** Files or directories. A directory that is ignored is searched when it is named here. */
	paths: readonly string[];
	/** What relative paths and globs start from. */
	cwd: string;
	/** The pattern is text, not a regular expression. */
	literal?: boolean;
	ignoreCase?: boolean;
	/** Matches may span lines, and `.` matches line ends. */
	multiline?: boolean;
	/** Lines around each match. */
	before?: number;
	after?: number;
	/** Only files that match all of these (see `compileGlob`); they are never a way around ignore files. */
	globs?: readonly string[];
	/** Only files of these types, as ripgrep names them. */
	types?: readonly string[];
	/** Also what begins with a dot; default true. `.git` is never searched. */
	hidden?: boolean;
	/** Leave out what is ignored; default true. */
	gitignore?: boolean;
	/** Also what lies in a `node_modules`; default true. */
	nodeModules?: boolean;
	/** Stop after so many matches ... */
	maxMatches?: number;
	/** ... and in each file after so many lines that match. */
	maxPerFile?: number;
	/** Characters of a line. */
	lineChars?: number;
	timeoutMs?: number;
	signal?: AbortSignal;
}

/** From where to where in the text of a line. */
export type Range = readonly [start: number, end: number];

export interface FoundLine {
	number: number;
	/** Without its end; cut to a bound, with `…` where something is missing. */
	text: string;
	ranges: readonly Range[];
}

export type SearchEvent =
	/** Several lines where a match spans them. */
	| { type: "match" | "context"; path: string; lines: readonly FoundLine[] }
	/** After all lines of a file with matches; a binary one is not worth showing. */
	| { type: "end"; path: string; matches: number; isBinary: boolean };

export type SearchOutcome =
	| {
			ok: true;
			matches: number;
			files: number;
			/** Why there may be more than was told. */
			stopped?: "limit" | "timeout" | "abort";
			/** Files that could not be read. */
			problems: readonly string[];
	  }
	| {
			ok: false;
			/** Whose fault it is: the pattern, another option, a ripgrep that is not there, or something else. */
			reason: "pattern" | "option" | "missing" | "failed";
			message: string;
			/** Where the pattern is wrong, in characters from 0. */
			at?: number;
	  };
