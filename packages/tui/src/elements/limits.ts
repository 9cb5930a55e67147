/** Bounds of the components, each with its reason. */

export const limits = {
	/** Characters of a label that are read: more than any row shows, and a label may be a whole file. */
	labelChars: 2_000,
	/** The minimum interval between two frames of an indicator: the engine draws no faster. */
	leastIndicatorMs: 16,
	/** Rows of a question's details that are visible at once; the rest is scrolled. */
	confirmRows: 12,
	/** Indentation takes at most this share of a row: a tree may be deeper than the screen is wide. */
	guideShare: 0.5,
	/** Characters of a broken component's failure that are shown. */
	reasonChars: 300,
} as const;
