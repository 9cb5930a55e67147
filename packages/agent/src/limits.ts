/** The bounds of the package, each with its reason. */
export const limits = {
	/** Unread events of a run after which the loop waits for its reader. */
	unreadEvents: 10_000,
	/**
	 * How long a tool may continue after an abort, to end its processes and return its output; then the run goes on
	 * without it.
	 */
	abortGraceMs: 1000,
	/** Answers that may be interrupted in a row; the next one stands. */
	interruptionsInARow: 5,
} as const;
