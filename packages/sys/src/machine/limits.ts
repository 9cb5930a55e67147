/** The bounds of the machine's files, each with its reason. */
const KB = 1024;
const MB = 1024 * KB;

export const limits = {
	/** A larger file is not loaded to be changed: a stream editor does that better. */
	fileBytes: 64 * MB,
	/** Bytes that are looked at to tell text from binary; git looks at as many. */
	binaryProbeBytes: 8 * KB,
	/** Links that lead to a file; the system gives up at 40 too. */
	linkSteps: 40,
	/** How long another process may hold a file that is to be replaced, and how often the lock is tried. */
	lockWaitMs: 5000,
	lockPollMs: 4,
	/** A disk that does not answer for so long is a network disk whose server is gone. */
	timeoutMs: 60_000,
	/** One step through a file that is read whole. */
	chunkBytes: 256 * KB,
} as const;
