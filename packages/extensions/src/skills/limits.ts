/** The bounds of skills, each with its reason. */
export const limits = {
	/** As the Agent Skills format says. */
	nameChars: 64,
	/** As the Agent Skills format says. */
	descriptionChars: 1024,
	/** What all skills may take of the first request: about 4,000 tokens. Beyond it only names are told. */
	listedChars: 16_000,
	/** Skills that the model is told of at all. */
	listed: 200,
	/** What a message repeats of a name that leads nowhere. */
	shownChars: 100,
} as const;
