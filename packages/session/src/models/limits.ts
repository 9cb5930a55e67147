/** The bounds of the configuration, each with its reason. */
export const limits = {
	/** A server on this machine answers at once or is not there. */
	localServerMs: 400,
	/** A provider on the internet lists its models in well under a second; nobody waits longer for a list. */
	remoteServerMs: 3_000,
	/** A list of models is some hundred kilobytes at the largest gateways; more is not one. */
	modelListBytes: 8 * 1024 * 1024,
	/** Models that one server may bring: the largest gateways have some hundreds. */
	discoveredModels: 5_000,
	/** Asked one by one what they can do: more than this takes longer than it is worth. */
	describedModels: 32,
	/** How long what a server on this machine said counts: a person pulls a model and wants to see it. */
	localListMs: 30_000,
	/** The lists of providers change by the day. */
	remoteListMs: 60 * 60 * 1000,
	/** After this long an old list is not shown any more, not even while a new one is on its way. */
	staleListMs: 14 * 24 * 60 * 60 * 1000,
	/** What a custom model can take when the file does not say. */
	defaultContextWindow: 128_000,
	defaultMaxTokens: 16_384,
	/** Suggestions in one line. */
	nearMatches: 5,
	/** A command that prints a key may ask a password manager, but not a person: Tau has not started yet. */
	keyCommandMs: 10_000,
	/** Longer than any key. */
	keyBytes: 16 * 1024,
	/** Roles that point to roles: longer than that is a circle. */
	roleSteps: 8,
} as const;
