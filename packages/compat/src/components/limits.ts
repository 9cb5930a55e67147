/** The bounds of components for extensions, each with its reason. */
export const limits = {
	/** Lines of an output that is folded: enough to know what it is about. */
	foldedLines: 10,
	/** Lines of an output that is shown whole: more are never read on a screen. */
	expandedLines: 2000,
	/** A title stays on a few rows. */
	titleChars: 500,
	/** Rows of a list, so that it fits a screen of 24 with its surroundings. */
	listRows: 10,
	/** Rows of a list of sessions or of a tree. */
	tallListRows: 15,
} as const;
