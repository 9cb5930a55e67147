/** The bounds of internal addresses, each with its reason. */
export const limits = {
	/** The part of an unknown address that a message repeats. */
	shownChars: 100,
	/** Messages that a search in the conversation lists. */
	searchHits: 50,
	/** Items that an error lists; more would not help. */
	listed: 20,
} as const;
