/** The bounds of `ls`, each with its reason. */
export const limits = {
	/** Names shown; a longer list is better searched than read. */
	names: 500,
	/** Names of what is ignored, which are there to be known of and not to be read. */
	ignored: 20,
} as const;
