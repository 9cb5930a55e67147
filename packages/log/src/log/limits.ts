/** The bounds of the session log, each with its reason. */
const MiB = 1024 * 1024;

export const limits = {
	/** The longest file name that file systems allow. */
	fileNameBytes: 255,
	/** The part of a longer path that is retained: its end, by which a user recognizes it. */
	directoryTailBytes: 200,
	/** The chunk size of reading a file whole; 50 MB take 10 ms with this, and no less with more. */
	scanChunkBytes: MiB / 4,
	/** Type, id, parentId and timestamp of our lines take 100 bytes; with UUIDs for both ids 170. */
	headBytes: 256,
	/** A longer line cannot become a string in this engine. It is set aside like a damaged one. */
	lineBytes: 256 * MiB,
	/** A damaged line is searched for whole entries up to this size, and for this many: the search is quadratic. */
	salvageBytes: 16 * MiB,
	salvageStarts: 16,
	/** Parsed bodies in the cache, by the length of their lines: the context of a model fits, the file does not. */
	cachedBytes: 8 * MiB,
	/** How long reading a long session's context may block key input: half a frame of a fast screen. */
	readSliceMs: 8,
	/** The fields after the content of an answer take 500 bytes, and 2 KB with an error; see `spent.ts`. */
	spentBytes: 2048,
	/** The bytes read to find a session's project: a header, and omp's title before it. */
	headerBytes: 16 * 1024,
	/** The part of the first prompt that a list shows. */
	firstMessageChars: 500,
	/** The longest line that can record a git branch: longer custom entries hold the state of extensions. */
	branchLineBytes: 1024,
	/** How many of the last entries are searched for the outcome: entries of extensions and commands may follow a turn. */
	outcomeEntries: 64,
	/** The part of one session that a full-text search covers. */
	searchTextChars: MiB,
	/** The number of files that are summarized before yielding to the event loop. */
	summariesPerTurn: 16,
	/** How long a list waits for another process that writes the index, before it continues without it. */
	indexBusyMs: 250,
	/** A shorter image is not worth a separate file; omp's figure, in characters of base64. */
	blobChars: 1024,
	/** The depth of the search for payloads in an entry; content of tools is nested a few levels. */
	payloadDepth: 64,
	/** A blob is referenced milliseconds after it was written; an hour also covers clocks that differ. */
	gcGraceMs: 60 * 60 * 1000,
	/** How often a collection checks for sessions that were moved during its scan. */
	gcRounds: 10,
	/** The depth of outputs of nested subagents; a deeper tree is a loop of links. */
	outputDepth: 16,
	/** How many handoffs a search follows back; each one is read as a whole, and 32 full contexts are weeks of work. */
	earlierSessions: 32,
	/** The number of names that are tried for the original of a file that has to be rewritten. */
	originalNames: 100,
	/**
	 * How often written lines are forced to the medium, off the main thread. A crash of Tau loses nothing: the kernel has
	 * a line before any listener is called, and only a power failure needs more. A sync takes 0.2 ms of CPU, and a turn
	 * writes two lines in 3 ms; waiting for each would take 170 µs on an SSD with a cache, 2 to 10 ms on a disk without.
	 */
	syncEveryMs: 100,
} as const;
