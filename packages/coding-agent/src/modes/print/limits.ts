/** The bounds of print mode, each with its reason. */
export const limits = {
	/** The width of a status line that fits most terminals. */
	statusChars: 100,
	/** A notice describes the problem and its location; a path in it is long. */
	noticeChars: 1000,
	/** How often the model is asked again for an answer that fits the schema; one that cannot do it then never will. */
	schemaAttempts: 2,
	/** A schema goes into the system prompt, so a larger one would cost more than the answer. */
	schemaBytes: 256 * 1024,
	/** A line of `--input-format stream-json`; a prompt with a dozen large images fits. */
	inputLineBytes: 64 * 1024 * 1024,
} as const;
