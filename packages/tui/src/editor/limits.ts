/** Bounds of the editor, each with its reason. */

export const limits = {
	/** Characters of a word that is completed: paths are shorter. */
	completedChars: 512,
	/** A paste with more lines or characters becomes a marker: a prompt stays readable. */
	pasteLines: 10,
	pasteChars: 1_000,
	/** Live markers: each is one of the 1,024 code units that no text contains. */
	markers: 1_024,
	/** Undo steps, and the characters that they may keep. */
	undoSteps: 1_000,
	undoChars: 32 * 1024 * 1024,
	/** Entries of the kill ring: more than a user cycles through. */
	kills: 32,
	/** Prompts that can be recalled, and the characters of all of them. */
	historyEntries: 1_000,
	historyChars: 8 * 1024 * 1024,
	/** Characters that are read to find the edges of a word or a cluster before the whole line is. */
	windowChars: 512,
	/** Minimum rows of the editor, and its maximum share of the screen. */
	leastRows: 5,
	screenShare: 0.3,
	/** Suggestions visible at once by default, and the range for the setting. */
	suggestions: 5,
	leastSuggestions: 3,
	mostSuggestions: 20,
	/** The pause in typing after which files are searched. Commands need no search and no pause. */
	completionDebounceMs: 20,
	/** A provider that has not responded by then is ignored. */
	completionTimeoutMs: 5_000,
	/** Suggestions taken from a provider of files; users do not scroll further. */
	fileSuggestions: 100,
	/** The largest count of a vim command; more is a mistake. */
	vimCount: 9_999,
} as const;
