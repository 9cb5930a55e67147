/** The bounds of putting a session together, each with its reason. */
export const limits = {
	/** A command of the user may be a server; one that runs for longer than a day was forgotten. */
	userCommandMs: 24 * 60 * 60 * 1000,
} as const;
