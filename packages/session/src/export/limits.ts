/** The bounds of exports, each with its reason. */
export const limits = {
	/** The length of a heading; a longer text is not a heading. */
	titleChars: 200,
	/** The part of a title in the name of a file, and of the id behind it: what `tau sessions` shows of one. */
	nameChars: 60,
	nameIdChars: 13,
	/** The length of one fact on one line: the longest path that Linux allows. */
	factChars: 4096,
} as const;
