/** The bounds of the tools, each with its reason. */
export const limits = {
	/** Lines of a file in one read; the rest is one more call away. */
	readLines: 5000,
	/** Bytes of a file in one read: about 12,000 tokens. */
	readBytes: 50 * 1024,
	/** A longer line is a minified file; its start says enough. */
	readLineChars: 2000,
	/** A larger file is not loaded into memory to be paged through. */
	readFileBytes: 64 * 1024 * 1024,
	/** Names of a directory in one read; a longer list is better searched than read. */
	directoryEntries: 1000,
	/** Bytes that are looked at to tell text from binary; git looks at as many. */
	binaryProbeBytes: 8 * 1024,
	/** Seconds that a command may take when the model does not say. */
	bashTimeoutSeconds: 300,
	bashTimeoutMaxSeconds: 3600,
	/** One line that shows a call to a person; a view cuts it further to its own width. */
	callChars: 1000,
	/** How deep arguments in arguments are put right: a JSON text in a JSON text is the deepest that was seen. */
	repairRounds: 4,
	/** What a note repeats of an argument; the model has sent it, and only has to recognize it. */
	shownValueChars: 80,
	/** Shortest time between two live updates of one command. */
	updateMs: 100,
} as const;
