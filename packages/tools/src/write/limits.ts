/** The bounds of `write`, each with its reason. */
export const limits = {
	/** How long a database may be busy with somebody else. */
	sqliteBusyMs: 3000,
	/** Lines of somebody else's change that a refusal shows: enough to see what it is about. */
	refusalDiffLines: 60,
} as const;
