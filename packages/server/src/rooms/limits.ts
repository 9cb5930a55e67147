/** The bounds of shared sessions, each with its reason. */
export const limits = {
	/** Refused messages that are shown to the user; the log has all of them. */
	shownFaults: 5,
	/** Entries that one answer to a guest has. */
	guestEntries: 200,
	/** What a guest keeps of a session on its own disk. */
	replicaBytes: 1024 * 1024 * 1024,
} as const;
