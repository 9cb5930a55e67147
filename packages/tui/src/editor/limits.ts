/** Bounds of the editor, each with its reason. */

export const limits = {
	/** A paste of more lines or characters than these stands in the text as a marker: a prompt stays readable. */
	pasteLines: 10,
	pasteChars: 1_000,
	/** Markers alive at once: each is one of the 1,024 code units that no text contains. */
	markers: 1_024,
	/** Steps that can be undone, and the characters that they may keep. */
	undoSteps: 1_000,
	undoChars: 32 * 1024 * 1024,
	/** Entries of the kill ring: more than anybody cycles through. */
	kills: 32,
	/** Prompts that can be called back, and the characters of all of them. */
	historyEntries: 1_000,
	historyChars: 8 * 1024 * 1024,
	/** What is looked at to find the edges of a word or a cluster before the whole line is. */
	windowChars: 512,
	/** Rows of the editor at least, and the share of the screen at most. */
	leastRows: 5,
	screenShare: 0.3,
	/** Suggestions seen at once, unless the settings say otherwise; and the range that they may say. */
	suggestions: 5,
	leastSuggestions: 3,
	mostSuggestions: 20,
	/** A pause in typing after which files are looked for. Commands are known and need none. */
	completionDebounceMs: 20,
	/** A provider that has not answered until then is not waited for. */
	completionTimeoutMs: 5_000,
	/** Suggestions taken from a provider of files; nobody scrolls further. */
	fileSuggestions: 100,
	/** The largest count of a vim command; more is a mistake. */
	vimCount: 9_999,
} as const;
