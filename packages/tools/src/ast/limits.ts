/** The bounds of structural search. */
export const limits = {
	/** A larger file is generated or minified; parsing it would hold everything up. */
	fileBytes: 2 * 1024 * 1024,
	/** Files that one search parses. */
	files: 20_000,
	/** The length of a pattern or a rewrite. */
	patternChars: 4000,
	/** Text of matches and names that one file may give: a rewrite of a 2 MB file stays below it. */
	matchedChars: 8 * 1024 * 1024,
	/** One file: 2 MB of ordinary code take a second and 300 MB, nested code any amount. */
	parsing: { ms: 10_000, memoryBytes: 768 * 1024 * 1024, answerBytes: 64 * 1024 * 1024 },
	/** Files in a row that exceed the limits before a search gives up. */
	stoppedFiles: 3,
} as const;
