/** Bounds of the components, each with its reason. */

export const limits = {
	/** Characters of a label that are looked at: more than any row shows, and a label may be a whole file. */
	labelChars: 2_000,
	/** Between two frames of a moving sign: the engine draws no faster. */
	leastIndicatorMs: 16,
	/** Rows of what a question is about that are seen at once; the rest is scrolled to. */
	confirmRows: 12,
	/** Indentation takes at most this part of a row: a tree may be deeper than the screen is wide. */
	guideShare: 0.5,
	/** Characters of the reason that a broken component is shown with. */
	reasonChars: 300,
} as const;
