/** The bounds of highlighting, each with its reason. */

export const highlightLimits = {
	/** Characters of a line that is coloured; longer ones are data or minified, and cost more than they tell. */
	lineChars: 1000,
	/** Lines of an open construct (a comment, a string) that are read again to colour the next one. */
	contextLines: 12,
	/** Characters of code that are kept coloured, so that a block that is drawn again costs nothing. */
	cachedChars: 500_000,
} as const;
