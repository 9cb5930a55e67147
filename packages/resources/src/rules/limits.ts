/** The bounds of rules, each with its reason. */
export const limits = {
	/** A rule is a page, not a manual; what is longer belongs into a skill. */
	fileBytes: 64 * 1024,
	/** Rules that always apply are paid for with every request: about 8,000 tokens. */
	alwaysBytes: 32 * 1024,
	/** The number of rules that are listed by name for the model. */
	listed: 50,
	descriptionChars: 240,
	/** Of one kind in one rule: conditions, globs, scopes. */
	entries: 50,
} as const;
