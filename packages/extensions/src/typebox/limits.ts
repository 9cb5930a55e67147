/** The bounds of schemas, each with its reason. */
export const limits = {
	/** What is told of a value that is all wrong: more would hide the first ones. */
	problems: 8,
} as const;
