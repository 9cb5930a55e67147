/** The bounds of databases, each with its reason. */
export const limits = {
	/** How long a reader waits while another program writes. */
	readBusyMs: 1000,
	/** How long a writer waits for another one. */
	writeBusyMs: 3000,
	/** A query that takes longer needs an index or a narrower condition. */
	queryMs: 10_000,
	/** The output of one query; its cells are truncated long before. */
	answerBytes: 16 * 1024 * 1024,
	/** Tables of a database that are listed. */
	tables: 200,
} as const;
