/** The bounds of `find`, each with its reason. */
export const limits = {
	/** Paths that are shown by default. */
	paths: 200,
	pathsMax: 1000,
	/** Similar paths that are offered when no file has exactly the name. */
	similar: 20,
	/** Files whose time is read to sort the newest first: about 20 ms. Longer lists are sorted by name. */
	timed: 5000,
	/** The size of one result: about 8,000 tokens. */
	bytes: 32 * 1024,
} as const;
