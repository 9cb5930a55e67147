/** The bounds of `write`, each with its reason. */
export const limits = {
	/** Lines of somebody else's change that a refusal shows: enough to see what it is about. */
	refusalDiffLines: 60,
} as const;
