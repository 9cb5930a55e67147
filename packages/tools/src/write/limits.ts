/** The bounds of `write`, each with its reason. */
export const limits = {
	/** Lines of another writer's change that a refusal shows: enough to recognize it. */
	refusalDiffLines: 60,
} as const;
