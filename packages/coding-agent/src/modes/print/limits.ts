/** The bounds of print mode, each with its reason. */
export const limits = {
	/** The width of a status line that fits most terminals. */
	statusChars: 100,
	/** A notice describes the problem and its location; a path in it is long. */
	noticeChars: 1000,
} as const;
