/** The bounds of databases, each with its reason. */
export const limits = {
	/** How long a reader waits while another program writes. */
	readBusyMs: 1000,
	/** How long a writer waits for another one. */
	writeBusyMs: 3000,
	/** A query that takes longer wants an index or a smaller question. */
	queryMs: 10_000,
	/** What one query may print; its cells are cut long before. */
	answerBytes: 16 * 1024 * 1024,
	/** Tables of a database that are listed. */
	tables: 200,
} as const;
