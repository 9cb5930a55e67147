/** The bounds of ACP mode, each with its reason. */
const MB = 1024 * 1024;

export const limits = {
	/** A prompt may hold several images; what is longer is discarded and answered with an error. */
	messageBytes: 64 * MB,
	/** Sessions of one client: each has its own extensions, servers and shell. */
	sessions: 32,
	/** Sessions in one page of a list. */
	page: 50,
	/** Sessions in the lists of omp, which have no pages: of all directories, and of one. */
	allSessions: { most: 5000, usual: 1000 },
	projectSessions: { most: 500, usual: 100 },
	/** Pieces of an answer are sent together for as long as a frame of a screen takes. */
	chunkMs: 16,
	/** After the answer that names a session: a client that handles messages side by side knows the session by then. */
	introduceMs: 50,
	/** How long a cancelled prompt may wait for its run to end before it is answered. */
	cancelMs: 40,
	/** How long a prompt waits for a cancelled run that does not end. */
	stopMs: 10_000,
	/** Entries of a session that are sent to a client that loads it, the newest ones. */
	replayedEntries: 10_000,
	/** Characters of a tool's output in an update: a view shows less. */
	outputChars: 64 * 1024,
	/** By so much of the end of an output the next one is joined to it. */
	overlapChars: 256,
	/** How long a terminal of the client may take to show the end of an output. */
	terminalMs: 10_000,
	/** Places of one call that an editor is told. */
	locations: 20,
	/** Characters of a title. */
	titleChars: 200,
	/** A file that a prompt embeds. */
	resourceChars: 2 * MB,
} as const;
