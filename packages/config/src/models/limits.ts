/** The bounds of the configuration, each with its reason. */
export const limits = {
	/** A server on this machine answers at once or is not running. */
	localServerMs: 400,
	/** A provider on the internet lists its models in well under a second; a longer wait is not worth it. */
	remoteServerMs: 3_000,
	/** A list of models has some hundred kilobytes at the largest gateways; a longer response is not a list. */
	modelListBytes: 8 * 1024 * 1024,
	/** The number of models from one server: the largest gateways have some hundreds. */
	discoveredModels: 5_000,
	/** The number of models whose capabilities are requested one by one: more takes longer than it is worth. */
	describedModels: 32,
	/** How long the list of a local server is fresh: a user who pulls a model expects to see it soon. */
	localListMs: 30_000,
	/** How long the list of a provider is fresh: these lists change from day to day. */
	remoteListMs: 60 * 60 * 1000,
	/** The age at which an old list is no longer shown, not even while a new one is being fetched. */
	staleListMs: 14 * 24 * 60 * 60 * 1000,
	/** The context window of a custom model if the file does not set one. */
	defaultContextWindow: 128_000,
	defaultMaxTokens: 16_384,
	/** The number of suggestions in one line. */
	nearMatches: 5,
	/** A command that prints a key may query a password manager, but not the user: Tau has not started yet. */
	keyCommandMs: 10_000,
	/** The size limit of a key, longer than any real one. */
	keyBytes: 16 * 1024,
	/** The number of roles that may point to each other: a longer chain is a cycle. */
	roleSteps: 8,
} as const;
