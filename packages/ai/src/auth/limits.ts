/** The bounds of tokens that are kept in memory, each with its reason. */
export const limits = {
	/** A token that is about to end would end during the request. */
	refreshBeforeMs: 60_000,
	/** Accounts that one process uses at the same time. */
	tokens: 16,
} as const;
