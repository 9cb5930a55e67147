/** The bounds of shares, each with its reason. */
export const shareLimits = {
	/** What a relay takes. */
	sealedBytes: 20 * 1024 * 1024,
	/** A bomb of zeros unpacks to far more; JSON of a session shrinks to about a tenth. */
	documentBytes: 256 * 1024 * 1024,
	/** Twice the longest session that was seen. */
	entries: 200_000,
	agents: 1000,
	/** Of the first prompt, as a title. */
	titleChars: 90,
	/** Of a title or a path. */
	lineChars: 1000,
} as const;
