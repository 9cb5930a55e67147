/** The bounds of the journal, with its reason. */
export const limits = {
	/** Changes that are kept; at 200 bytes each they take 2 MB. The oldest are dropped first. */
	entries: 10_000,
} as const;
