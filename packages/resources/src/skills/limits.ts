/** The bounds of skills, each with its reason. */
export const limits = {
	/** The limit of the Agent Skills format. */
	nameChars: 64,
	/** The limit of the Agent Skills format. */
	descriptionChars: 1024,
	/** The size of all skills in the first request: about 4,000 tokens. Beyond it only names are listed. */
	listedChars: 16_000,
	/** The maximum number of skills that are listed for the model. */
	listed: 200,
	/** What a message repeats of a name that leads nowhere. */
	shownChars: 100,
} as const;
