/** The bounds of structural search. */
export const limits = {
	/** A larger file is generated or minified; parsing it would hold everything up. */
	fileBytes: 2 * 1024 * 1024,
	/** Files that one search parses. */
	files: 20_000,
	/** The length of a pattern or a rewrite. */
	patternChars: 4000,
} as const;
