/** The bounds of `find`, each with its reason. */
export const limits = {
	/** Paths shown when the model does not say. */
	paths: 200,
	pathsMax: 1000,
	/** Paths that are offered when nothing has exactly the name. */
	similar: 20,
	/** Files whose time is looked up to put the newest first: about 20 ms. More come in the order of names. */
	timed: 5000,
	/** Of one result: about 8,000 tokens. */
	bytes: 32 * 1024,
} as const;
