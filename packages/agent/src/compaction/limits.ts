/** The bounds of compaction, each with its reason. */
export const limits = {
	/** What most tokenizers come near to, for text and for code. */
	charsPerToken: 4,
	/** A picture of about a megapixel, by the formulas that providers publish. */
	tokensPerImage: 1400,
	/** How far a count of the provider may correct the estimate; beyond it something else is wrong. */
	correction: 4,
	/** Of a window is left free where a setting does not ask for more: an answer has to fit in as well. */
	freeShare: 0.15,
	/** Of what the context may hold is kept as it was at most, so that a compaction makes room in any window. */
	keptShare: 0.5,
	/** Of a window goes to a summary at most: in a small one the conversation has to fit in beside it. */
	summaryShare: 0.25,
	/** Of the rest may be filled by estimate: a text of another kind has more tokens than four characters each. */
	filledShare: 0.85,
	/** The smallest window that anybody offers, for a model that does not say how much it holds. */
	assumedWindow: 32_768,
	/** What a summary is made from does not need whole files: what matters was said about them. */
	toolResultChars: 2000,
	/** One argument, and all of them: enough to know what was done to which file. */
	argumentChars: 500,
	callChars: 2000,
	/** Files that a summary lists; `details` of the entry has all of them. */
	listedFiles: 20,
} as const;
