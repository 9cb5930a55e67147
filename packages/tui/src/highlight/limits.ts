/** The bounds of highlighting, each with its reason. */

export const highlightLimits = {
	/** Characters of a line that is highlighted; longer ones are data or minified code. */
	lineChars: 1000,
	/** Lines of an open construct (a comment, a string) that are read again to highlight the next one. */
	contextLines: 12,
	/** Characters of highlighted code that are cached, so that redrawing a block costs nothing. */
	cachedChars: 500_000,
} as const;
