/** The bounds of checks against JSON Schemas, each with its reason. */
export const limits = {
	/** Compiling follows a schema down; one that people write has a tenth of this. */
	depth: 100,
	/** Problems that are told at once; a model corrects a few, and sees the rest the next time. */
	shownProblems: 10,
	/** Values of an enumeration that a problem lists, and how much of each. */
	listedValues: 20,
	valueChars: 80,
	/** Compiled schemas that a worker keeps: the agents of one call usually share one. */
	compiled: 8,
	/**
	 * An ordinary check takes 30 ms, most of it compiling. Expressions and references that take exponential time, and
	 * schemas that need too much memory, end here; five seconds leave room for a busy machine.
	 */
	work: { ms: 5000, memoryBytes: 512 * 1024 * 1024, answerBytes: 1024 * 1024 },
} as const;
