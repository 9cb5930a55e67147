/** The bounds of searching, each with its reason. */
export const limits = {
	/** Of a line; a longer one is cut around what was found in it. */
	lineChars: 500,
	/** Lines of one match that spans several; more is no place but a whole file. */
	matchLines: 50,
	/** Places of one line that are marked. */
	ranges: 64,
	/** What ripgrep says of one match is read whole up to here; behind lies a minified file in one line. */
	recordBytes: 1024 * 1024,
	/** Of a longer one this much of its start is kept: enough for a path and for the start of the line. */
	recordHeadBytes: 16 * 1024,
	/** Longer searches are stopped; a tree of 50,000 files takes 0.2 s. */
	timeoutMs: 60_000,
	/** Of what ripgrep complains about. */
	errorBytes: 16 * 1024,
	/** Files that could not be read and are named; more would say nothing new. */
	problems: 5,
	/** A pattern is an argument of a command, and the system bounds those. */
	patternChars: 64 * 1024,
	/** How long a ripgrep on PATH may take to say its version. */
	versionMs: 2000,
} as const;
