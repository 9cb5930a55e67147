/** The bounds of `grep`, each with its reason. */
export const limits = {
	/** Matches that are shown by default. */
	matches: 100,
	matchesMax: 1000,
	/** Matches that are counted, so that the result can report their number; beyond it, the search stops. */
	counted: 10_000,
	contextLines: 20,
	/** The length of one line; a longer line is cut around the match. */
	lineChars: 300,
	/** The size of one result: about 8,000 tokens. */
	bytes: 32 * 1024,
	/** The length of a pattern in a message; longer ones are shown around the problem. */
	patternChars: 80,
} as const;
