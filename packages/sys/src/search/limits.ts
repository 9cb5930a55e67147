/** The bounds of searching, each with its reason. */
export const limits = {
	/** Characters of a line; a longer one is cut around its match. */
	lineChars: 500,
	/** Lines of one match that spans several; more would be a whole file. */
	matchLines: 50,
	/** Ranges of one line that are marked. */
	ranges: 64,
	/**
	 * Ripgrep's record of one match is read completely up to this size; a larger one is a minified file in one line.
	 */
	recordBytes: 1024 * 1024,
	/** The part of an oversize record that is kept: enough for a path and for the start of the line. */
	recordHeadBytes: 16 * 1024,
	/** Longer searches are stopped; a tree of 50,000 files takes 0.2 s. */
	timeoutMs: 60_000,
	/** Bytes of ripgrep's error output. */
	errorBytes: 16 * 1024,
	/** Unreadable files that are listed; more would add nothing. */
	problems: 5,
	/** A pattern is an argument of a command, and the system limits those. */
	patternChars: 64 * 1024,
	/** What is read of a file at once to check the lines that ripgrep found in it. */
	windowBytes: 32 * 1024,
	/** A file in another encoding is decoded as a whole to check what was found in it. */
	decodedBytes: 64 * 1024 * 1024,
	/** How long a ripgrep on PATH may take to print its version. */
	versionMs: 2000,
} as const;
