/** The bounds of exports, each with its reason. */
export const limits = {
	/** Of a heading; a longer one is no heading. */
	titleChars: 200,
	/** Of one fact on one line: the longest path that Linux takes. */
	factChars: 4096,
} as const;
