/** The bounds that the house checks hold the tree to, and those they keep themselves. */

export const limits = {
	fileLines: 500,
	/** Below this, code that only one file uses is easier to read inside that file. */
	smallFileLines: 40,
	/** Prose longer than this in code is text for a model, not a message for a person. */
	proseChars: 240,
	proseWords: 40,
	/** Below this share of letters and spaces a long literal is a key, a script or markup, not prose. */
	proseLetterShare: 0.85,
	/** People's words are shorter than this, with their blanks; those of encoded data are not. */
	proseCharsPerWord: 12,
	/** What a value called a prompt may hold before it must move to an .md file. */
	namedPromptChars: 80,
	/** How far a type annotation may stretch between a name and its initial value, in tokens. */
	annotationTokens: 12,
	featureRows: 120,
	/** A checker that is silent for this long hangs; all of them together take a few seconds. */
	processMs: 60_000,
} as const;
