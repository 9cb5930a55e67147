/** The bounds of imports, each with its reason. */
const MiB = 1024 * 1024;

export const limits = {
	/** What is read of a file to learn whose it is: the first line may be a prompt with pictures. */
	probeBytes: 16 * MiB,
	/** Months of one conversation with many pictures; more does not fit into memory. */
	fileBytes: 1024 * MiB,
	/** Read at once. */
	chunkBytes: MiB,
	/** A longer line cannot become a session's line. */
	lineBytes: 128 * MiB,
	/** Directories of days in months in years; deeper is a loop of links. */
	directoryDepth: 8,
	/** Of a title: what a list shows. */
	titleChars: 200,
	/** Of an id that comes from a file, and becomes part of a file's name. */
	idChars: 100,
} as const;
