/** The bounds of `edit`, each with its reason. */
export const limits = {
	/** How often an edit is planned again because another writer changed the file meanwhile. */
	attempts: 20,
	/** Edits in one call: more is a script's work. */
	edits: 200,
	/** Lines that an error names when a text is found in several places. */
	namedPlaces: 10,
	/** Lines around a place that are shown when an edit is refused. */
	excerptContext: 4,
	/** Numbered lines of one answer. */
	excerptLines: 40,
	/** Lines around the lines of an edit that may tell two places apart when the file has changed. */
	anchorContext: 12,
	/** Lines of the nearest match that an error shows. */
	nearestLines: 24,
	/** Lines of a file that are compared by their letters when nothing in it is the same. */
	nearestScan: 20_000,
	/** Lines of a file from which its indentation is learnt. */
	styleLines: 20_000,
	/** The share by which a streamed patch grows before it is checked again: every check reads the whole patch. */
	guardGrowth: 1 / 16,
} as const;
