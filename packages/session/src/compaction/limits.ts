/** The bounds of compacting a session, each with its reason. */
export const limits = {
	/** One compaction with all its requests. Slow models write for minutes; the transport watches for silence. */
	compactionMs: 20 * 60 * 1000,
	/** Requests for one summary: a conversation from a model with a window thirty times as large still fits. */
	summaryRequests: 30,
	/** Smaller portions would not be summed up but copied: a model that refuses them refuses something else. */
	leastPortionTokens: 1000,
	/** Of what the context may hold has to go before a compaction is worth a request by itself. */
	worthShare: 0.1,
} as const;
