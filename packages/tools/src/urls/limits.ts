/** The bounds of internal addresses, each with its reason. */
export const limits = {
	/** What a message repeats of an address that leads nowhere. */
	shownChars: 100,
	/** Things that an error names; more help nobody. */
	listed: 20,
} as const;
