/** The bounds of one structural rewrite. */
export const limits = {
	/** Matches in one call; more are better done in parts that can be looked at. */
	matches: 5000,
	/** Files whose differences are shown; the others are named. */
	shownFiles: 20,
	shownBytes: 30 * 1024,
} as const;
