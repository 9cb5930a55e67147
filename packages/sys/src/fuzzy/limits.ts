/** The bounds of fuzzy matching, each with its reason. */
export const limits = {
	/** A longer query is a paste, not a query. */
	queryChars: 256,
	/** Only the start of a long text is compared: names are shorter, and the cost stays small. */
	textChars: 4096,
} as const;
