/** The bounds of the configuration, each with its reason. */
export const limits = {
	/** A models file is written by hand; a larger one is another file by mistake. */
	modelsFileBytes: 1024 * 1024,
	/** A server on this machine answers at once or is not there. */
	localServerMs: 400,
	/** What a custom model can take when the file does not say. */
	defaultContextWindow: 128_000,
	defaultMaxTokens: 16_384,
	/** Suggestions in one line. */
	nearMatches: 5,
} as const;
