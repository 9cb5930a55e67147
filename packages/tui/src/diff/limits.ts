/** The bounds of the diff view, each with its reason. */

export const diffLimits = {
	/** Up to so many differences the diff of two texts is the shortest one; time and memory grow with their square. */
	lineEdits: 1000,
	/** The same between two lines: beyond it, marks would say nothing. */
	wordEdits: 120,
	/** Characters of a line in which changes are marked. */
	markedChars: 2000,
	/** Of two lines, this part must be the same for marks to be worth while. */
	sameShare: 0.35,
	/** Lines shown around a change. */
	context: 3,
	/** Cells from which on old and new stand side by side: two columns of code of about sixty. */
	sideBySideFrom: 140,
} as const;
