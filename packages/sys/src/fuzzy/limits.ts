/** The bounds of fuzzy matching, each with its reason. */
export const limits = {
	/** A longer query is a paste, not a query. */
	queryChars: 256,
	/** Of a long text only its start is compared: a name is not longer, and the cost stays small. */
	textChars: 4096,
} as const;
