/** The bounds of ACP mode, each with its reason. */
export const limits = {
	/** Sessions of one client: each has its own extensions, servers and shell. */
	sessions: 32,
	/** Sessions in one page of a list. */
	page: 50,
	/** After the answer that names a session: a client that handles messages side by side knows the session by then. */
	introduceMs: 50,
	/** Entries of a session that are sent to a client that loads it, the newest ones. */
	replayedEntries: 10_000,
	/** Locations of one call that are sent to an editor. */
	locations: 20,
	/** Characters of a title. */
	titleChars: 200,
} as const;
