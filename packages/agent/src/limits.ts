/** The bounds of the package, each with its reason. */
export const limits = {
	/** Unread events of a run after which the loop waits for its reader. */
	unreadEvents: 10_000,
	/**
	 * How long a tool may continue after an abort, to end its processes and return its output; then the run continues
	 * without it.
	 */
	abortGraceMs: 1000,
	/** Answers that may be interrupted in a row; the next one is kept. */
	interruptionsInARow: 5,
	/** Of what the user has changed in a call, for the model: a long file is on the disk, where it can be read. */
	amendedChars: 2000,
	/** A tool gate may ask a server or a model; one that takes longer than this has not allowed the call. */
	gateMs: 2 * 60_000,
	/** What a request, an answer or a call takes at most of a turn of the event loop, which many runs share. */
	pieceMs: 2,
} as const;
