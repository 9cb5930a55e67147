/** The bounds of databases, each with its reason. */
export const limits = {
	/** How long a reader waits while another program writes. */
	readBusyMs: 1000,
	/** How long a writer waits for another one. */
	writeBusyMs: 3000,
	/** Tables of a database that are listed. */
	tables: 200,
} as const;
