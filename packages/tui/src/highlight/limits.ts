/** The bounds of highlighting, each with its reason. */

export const highlightLimits = {
	/** Characters of a line that is highlighted; longer ones are data or minified code. */
	lineChars: 1000,
	/**
	 * The CPU time that highlighting a block may take: this much, and this much more for each line. Ordinary lines take 0.1 ms; some
	 * that were made for it take 70 ms each, and the rest of such a block is drawn plain.
	 */
	blockMs: 250,
	blockLineMs: 0.3,
	/** Lines of an open construct (a comment, a string) that are read again to highlight the next one. */
	contextLines: 12,
	/** Lines that are remembered with their colors, and their length: of a program's short lines, a third come again. */
	knownLines: 512,
	knownLineChars: 48,
	/** Characters of highlighted code that are cached, so that redrawing a block costs nothing. */
	cachedChars: 500_000,
} as const;
