/** The bounds of statistics, each with its reason. */
const MiB = 1024 * 1024;

export const limits = {
	/** Read at once: most sessions are smaller, and a line that is longer is known by its two ends. */
	chunkBytes: MiB / 2,
	/** Of each end of a line that does not fit into a chunk. */
	endBytes: 64 * 1024,
	/** What the fields before the content of a message take; ids of calls may have 100 characters. */
	headBytes: 288,
	/** What the fields after the content of an answer take, and with a long error: what is decoded of a line first, and then. */
	tailBytes: 640,
	longTailBytes: 4096,
	/** What follows the content of a tool's result, with what it paid. */
	resultTailBytes: 448,
	/** A longer line whose keys are in another order is left out: parsing it would take its size in memory. */
	parseBytes: 8 * MiB,
	/** A file that is one JSON object. A longer one is left out. */
	objectBytes: 64 * MiB,
	/** One transaction: others may write between two of them. */
	batchBytes: 32 * MiB,
	batchAnswers: 8000,
	/** Scanned between two collections of garbage, of which each takes 10 ms: the peak is 81 to 87 MB, with 96 MB of it up to 100. */
	garbageBytes: 24 * MiB,
	/** How long another process may hold the index: one transaction takes about 0.3 s. */
	busyMs: 30_000,
	/** Directories in directories; deeper is a loop of links. */
	directoryDepth: 8,
	/** The answers and the failures that the index keeps one by one, newest first; all are in the sums. */
	recentRows: 1000,
	errorRows: 1000,
	/** What a list of sessions shows. */
	titleChars: 80,
	errorChars: 300,
	/** Of one answer: more is a damaged line, and SQLite fails where a sum does not fit into 64 bits. */
	count: 1e12,
	dollars: 1e6,
	/** The end of the year 9999. */
	latest: 253_402_300_799_999,
	/** Names of models, tools and agents come from files of others. */
	nameChars: 200,
	/** Sessions in one answer of the server. */
	listedSessions: 1000,
	/** Entries of one session in its timeline. */
	traceEntries: 5000,
	traceChars: 400,
	/** An entry that the page asks for. */
	entryBytes: 4 * MiB,
	/** How long a scan in a worker may take: 10 GB of logs take some 40 s. */
	syncMs: 15 * 60_000,
	syncBytes: 1024 * MiB,
	answerBytes: 64 * 1024,
	/** How long a running dashboard may take to say that it is one. */
	probeMs: 500,
} as const;
