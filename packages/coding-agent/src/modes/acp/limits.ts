/** The bounds of ACP mode, each with its reason. */
const MB = 1024 * 1024;

export const limits = {
	/** A prompt may hold several images; what is longer is discarded and answered with an error. */
	messageBytes: 64 * MB,
	/** Sessions of one client: each has its own extensions, servers and shell. */
	sessions: 32,
	/** Sessions in one page of a list. */
	page: 50,
	/** Pieces of an answer are sent together for as long as a frame of a screen takes. */
	chunkMs: 16,
	/** After the answer that names a session: a client that handles messages side by side knows the session by then. */
	introduceMs: 50,
	/** How long a cancelled prompt may wait for its run to end before it is answered. */
	cancelMs: 40,
	/** How long a prompt waits for a cancelled run that does not end. */
	stopMs: 10_000,
	/** How long an editor may take to read or write a file. */
	editorMs: 5000,
	/** For so long no directory on the way to a file has changed: longer than a tick of the kernel's clock of files. */
	restMs: 20,
	/** How often this is waited for; then the file is left to the disk. */
	restAttempts: 10,
	/** How often a file is read again whose directories have changed meanwhile. */
	readAttempts: 3,
	/** Entries of a session that are sent to a client that loads it, the newest ones. */
	replayedEntries: 10_000,
	/** Entries that are read at a time. */
	replayPage: 500,
	/** Characters of a tool's output in an update: a view shows less. */
	outputChars: 64 * 1024,
	/** Places of one call that an editor is told. */
	locations: 20,
	/** Characters of a title. */
	titleChars: 200,
	/** A file that a prompt embeds. */
	resourceChars: 2 * MB,
} as const;
