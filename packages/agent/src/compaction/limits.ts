/** The bounds of compaction, each with its reason. */
export const limits = {
	/** An average over most tokenizers, for text and for code. */
	charsPerToken: 4,
	/** An image of about a megapixel, by the formulas that providers publish. */
	tokensPerImage: 1400,
	/** The provider's count may correct the estimate by at most this factor; beyond it something else is wrong. */
	correction: 4,
	/** This share of a window stays free unless a setting asks for more: an answer has to fit as well. */
	freeShare: 0.15,
	/** At most this share of the usable context is kept unchanged, so that a compaction frees space in any window. */
	keptShare: 0.5,
	/** A summary takes at most this share of a window: in a small one, the conversation has to fit beside it. */
	summaryShare: 0.25,
	/** The user's messages that a compaction keeps word for word; codex has the same bound. */
	ledgerTokens: 20_000,
	/** In a small window, they take at most this share of the usable context. */
	ledgerShare: 0.15,
	/** A smaller result takes hardly more than the note in its place. */
	prunedTokens: 100,
	/** The note in place of a useless result is 7 tokens long: results that say nothing are short themselves. */
	uselessTokens: 10,
	/** The rest may be filled to this share by estimate: some texts have more than one token per four characters. */
	filledShare: 0.85,
	/** The smallest window on offer, for a model whose window is unknown. */
	assumedWindow: 32_768,
	/** A summary does not need whole files: the conversation says what matters about them. */
	toolResultChars: 2000,
	/** One argument, and all of them: enough to see what was done to which file. */
	argumentChars: 500,
	callChars: 2000,
	/** Files that a summary lists; the entry's `details` has all of them. */
	listedFiles: 20,
} as const;
