/** The bounds of exports, each with its reason. */
export const limits = {
	/** Of a heading; a longer one is no heading. */
	titleChars: 200,
	/** Of one fact on one line: the longest path that Linux takes. */
	factChars: 4096,
	/** Enough of a call or result to tell it from the next one. */
	hintChars: 90,
} as const;
