/** The bounds of `edit`, each with its reason. */
export const limits = {
	/** How often an edit is planned again because another writer changed the file meanwhile. */
	attempts: 20,
	/** Edits in one call; more are better done by a script. */
	edits: 200,
	/** Line numbers that an error lists when a text occurs several times. */
	namedPlaces: 10,
	/** Context lines that are shown when an edit is refused. */
	excerptContext: 4,
	/** Numbered lines in one result. */
	excerptLines: 40,
	/** Context lines that may distinguish two positions when the file has changed. */
	anchorContext: 12,
	/** Lines of the nearest match that an error shows. */
	nearestLines: 24,
	/** Lines of a file that are compared by their letters if no line is equal. */
	nearestScan: 20_000,
	/** Lines of a file from which its indentation is inferred. */
	styleLines: 20_000,
	/** The share by which a streamed patch grows before it is checked again: every check reads the whole patch. */
	guardGrowth: 1 / 16,
} as const;
