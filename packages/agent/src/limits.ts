/** The bounds of the package, each with its reason. */
export const limits = {
	/** Unread events of a run from which on the loop waits for its reader. */
	unreadEvents: 10_000,
} as const;
