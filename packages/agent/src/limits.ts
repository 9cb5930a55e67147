/** The bounds of the package, each with its reason. */
export const limits = {
	/** Unread events of a run from which on the loop waits for its reader. */
	unreadEvents: 10_000,
	/** How long a tool may go on after an abort, to end its processes and tell what it has; then it is left alone. */
	abortGraceMs: 1000,
	/** Answers that may be cut short one after the other; the next one stands, whatever it says. */
	interruptionsInARow: 5,
	/** A tool gate may ask a server or a model; one that takes longer than this has not allowed the call. */
	gateMs: 2 * 60_000,
} as const;
