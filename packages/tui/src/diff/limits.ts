/** The bounds of the diff view, each with its reason. */

export const diffLimits = {
	/** Up to this many differences, the diff of two texts is minimal; time and memory grow with their square. */
	lineEdits: 1000,
	/** The same between two lines: beyond it, marks would mean nothing. */
	wordEdits: 120,
	/** Characters of a line in which changes are marked. */
	markedChars: 2000,
	/** Marks are shown only if this share of two lines is equal. */
	sameShare: 0.35,
	/** Lines of context around a change. */
	context: 3,
	/** From this width on, old and new are side by side: two columns of about sixty cells of code. */
	sideBySideFrom: 140,
} as const;
