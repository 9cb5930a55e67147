/** The bounds of a session, each with its reason. */
export const limits = {
	/** Identical calls that failed in a row: the model is going round in circles. */
	identicalFailures: 5,
	/** How many turns may alternate and still count as repeating: read, edit, test, and one more. */
	cycleTurns: 4,
	/** So many identical results are no coincidence; the model is reminded once. */
	cyclesToRemind: 5,
	/** A model that repeats itself in spite of that is stopped: after 8 requests, or 32 if 4 turns alternate. */
	cyclesToStop: 8,
	/** A model that polls, such as for the end of a build, waits in its calls; it may repeat itself more often. */
	pollMs: 5000,
	pollFactor: 5,
	/** The number of repeated turns that is too much in any case. */
	repeatedTurns: 48,
	/** Answers in a row that reach the output limit and are continued: more would not end either. */
	cutAnswers: 3,
	/** Breaks of the provider's cache that `/context` can tell about, the newest. */
	cacheBreaks: 50,
	/** Turns whose usage is kept one by one, some 300 bytes each; what came before is in the totals. */
	ledgerTurns: 10_000,
	/** Answers of a long log that are counted before other work may come in: 0.4 ms. */
	ledgerSlice: 100,
	/** A title fits a line of a list beside its age and size. */
	titleChars: 60,
	/** What a title is made from: the beginning says what it is about. */
	titlePromptChars: 2000,
	titleAnswerChars: 500,
	/** A title is a few words; a model that thinks first needs some more. */
	titleTokens: 256,
	/** A title that takes longer is not worth a connection. */
	titleMs: 30_000,
	/** Images of one request that are described, the newest: each is a request of its own. */
	describedImages: 8,
	/** A screenful of text takes about as much. */
	describeTokens: 2000,
	describeMs: 60_000,
	/** A branch is read from two small files; on a disk that takes longer, the list of sessions does without it. */
	branchMs: 500,
	/** TITLE_SYSTEM.md: longer is a mistake that every new session would pay for. */
	titlePromptFileBytes: 16 * 1024,
	/** Numbers that are tried for an artifact; processes that collide so often do it on purpose. */
	artifactAttempts: 100,
	/** Of a tool's name in that of a file, which may have 255. */
	artifactToolChars: 64,
	/** Outputs of agents in a session that is not stored; each is bounded by itself. */
	agentOutputs: 100,
} as const;
