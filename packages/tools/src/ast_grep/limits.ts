/** The bounds of what one structural search shows. */
export const limits = {
	matches: 100,
	matchesMax: 1000,
	/** Rows of one match; a whole class is better read. */
	matchRows: 6,
	rowChars: 300,
	/** Characters of a match and of each name that leave the parser: more than its rows show. */
	matchChars: 4000,
	outputBytes: 40 * 1024,
} as const;
