/** The bounds of compacting a session, each with its reason. */
export const limits = {
	/** Time for one compaction with all its requests. Slow models write for minutes; the transport detects stalls. */
	compactionMs: 20 * 60 * 1000,
	/** Requests for one summary: a conversation from a model with a window thirty times as large still fits. */
	summaryRequests: 30,
	/** Smaller portions would be copied, not summarized: a model that rejects them has another reason. */
	leastPortionTokens: 1000,
	/** The share of the context budget that must be removable before automatic compaction is worth a request. */
	worthShare: 0.1,
	/** Characters of a message that says which one is too large to compact. */
	namedMessageChars: 40,
	/** Pruning replaces a summary if the context is below this share of the threshold afterwards: it soon fills again. */
	prunedShare: 0.75,
	/** Of the newest tool results, so many tokens stay; the figure of omp and opencode. */
	protectTokens: 40_000,
	/** In a small window, they are at most this share of the usable context. */
	protectShare: 0.25,
	/** How long providers keep a conversation in their cache at least; Anthropic's figure, and OpenAI's. */
	warmCacheMs: 5 * 60 * 1000,
	/** An answer of the server that writes summaries: a longer one is no summary. */
	remoteSummaryBytes: 1024 * 1024,
	/** The line about a summary in lists. */
	shortSummaryChars: 100,
	/** Images of one request: OpenRouter drops those beyond it without a word. */
	frames: 8,
	/** The share of the usable context that images of the history may take. */
	framesShare: 0.3,
	/** For a model whose window is unknown. */
	framesWindow: 1_000_000,
	/** What does not fit on images is kept as text, up to so many images. */
	tailFrames: 2,
	/** A history with more characters than this that no font has would be illegible. */
	unknownShare: 0.02,
	/** If not all of the user's messages fit, one of them gets at most one part in this many of the ledger. */
	ledgerMessageShare: 4,
	/** The beginning of a message that does not fit: enough to decide whether to read it. */
	ledgerHeadChars: 160,
	/** Beginnings that are listed: with more, the list would cost more than the messages are worth. */
	ledgerIndex: 100,
	/** The list of results that left the context takes one part in this many of the ledger, and so many lines at most. */
	resultsShare: 10,
	listedResults: 100,
	/** The call of a result: enough to recognize it. */
	resultAboutChars: 80,
	/** A fact, such as a todo list: a longer one is a document. */
	factChars: 16_000,
	/** Facts of one section, the newest. */
	factsPerSection: 50,
} as const;
