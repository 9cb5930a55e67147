/** The bounds of what is kept of an output, each with its reason. */
const KiB = 1024;

export const limits = {
	/** What a model is shown of the end of a long output, ... */
	tailBytes: 46 * KiB,
	/** ... and of its start, which says what began: together the spec's 50 KB, about 12,000 tokens. */
	headBytes: 4 * KiB,
	/** Kept of the end in memory: a progress bar writes its line many times over, and only the last counts. */
	windowBytes: 200 * KiB,
	/** A longer line is data that nobody reads whole; the artifact has it. */
	lineChars: 2000,
	/** What one command may put on the disk; whoever prints more prints in circles. */
	artifactBytes: 256 * KiB * KiB,
} as const;
