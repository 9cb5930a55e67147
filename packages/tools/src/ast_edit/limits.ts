/** The bounds of one structural rewrite. */
export const limits = {
	/** Matches in one call; larger edits are better split into parts that can be reviewed. */
	matches: 5000,
	/** Files whose differences are shown; the others are named. */
	shownFiles: 20,
	shownBytes: 30 * 1024,
} as const;
