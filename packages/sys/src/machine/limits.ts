/** The bounds of the machine's files, each with its reason. */
const KB = 1024;
const MB = 1024 * KB;

export const limits = {
	/** A larger file is not loaded for a change: a stream editor does that better. */
	fileBytes: 64 * MB,
	/** The longest text that an editor is asked for: it travels as one message. */
	bufferChars: 8 * MB,
	/** How long an editor may take to read or write a file. */
	editorMs: 5000,
	/** How often a file is read again whose directories have changed meanwhile. */
	editorReads: 3,
	/** For so long no directory on the way to a file has changed: longer than a tick of the kernel's clock of files. */
	restMs: 20,
	/** How often this is waited for; then the file is left to the disk. */
	restAttempts: 10,
	/** Bytes that are examined to distinguish text from binary, as in git. */
	binaryProbeBytes: 8 * KB,
	/** The length of a chain of links; the system's own limit is 40 too. */
	linkSteps: 40,
	/** How often a link that is changed while it is followed is followed again. */
	linkAttempts: 3,
	/** Directories that a commit keeps open; a process may have as few as 256 open files. */
	openDirectories: 64,
	/** Directories whose real path a call remembers. */
	resolvedDirectories: 1024,
	/** How long another process may hold a file that is to be replaced. */
	lockWaitMs: 5000,
	/** A disk that does not respond for this long is a network disk whose server is gone. */
	timeoutMs: 60_000,
	/** The chunk size for reading a whole file. */
	chunkBytes: 256 * KB,
} as const;
