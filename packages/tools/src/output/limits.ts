/** The limits of stored output, each with its reason. */
const KiB = 1024;

export const limits = {
	/** The end of a long output, as far as the model sees it. */
	tailBytes: 46 * KiB,
	/** The start of an output: with the end it makes the spec's 50 KB, about 12,000 tokens. */
	headBytes: 4 * KiB,
	/** The end that memory holds: a progress bar writes its line many times over, and only the last counts. */
	windowBytes: 200 * KiB,
	/** A longer line is data that is not read as a whole; the artifact has it. */
	lineChars: 2000,
	/** The disk space that one command may use; a command that prints more is in a loop. */
	artifactBytes: 256 * KiB * KiB,
} as const;
