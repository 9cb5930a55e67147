/** The bounds of the matrix, each with its reason. */
export const limits = {
	/** Long enough for a busy machine: a cell that waits longer has found a defect. */
	waitMs: 40_000,
	pollMs: 10,
	/** The bound of one cell, with the start and the end of its processes. */
	cellMs: 120_000,
	/** How fast an abort has to end everything. */
	abortMs: 1_000,
	/** How often an abort is measured: a machine that is busy for a moment has no say. */
	abortTries: 4,
	/** Cells that run at a time: more would only wait for the cores. */
	atATime: 4,
	/** A cell may have to wait for all others. */
	suiteMs: 600_000,
} as const;
