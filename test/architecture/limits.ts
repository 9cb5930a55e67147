/** The bounds that the checks enforce, and their own. */

export const limits = {
	fileLines: 500,
	/** Files that import each other, types included: as many as can be read together. */
	knotFiles: 20,
	/** Of TypeScript without tests: what one person can know. */
	packageLines: 25_000,
	/** Of a mode, without tests: an adapter over the session and its commands needs no more. */
	modeLines: 1500,
	/** Scripts for Redis included, without tests, comments and blank lines: servers that others run are read first. */
	serverLines: { relay: 2500, gateway: 2500 },
	/** How far the page may be from the lines of a package: it is written anew when the change is worth reading. */
	packageLinesRoom: 500,
	packageLinesShare: 0.05,
	/** Below this, code that only one file uses is easier to read inside that file. */
	smallFileLines: 40,
	/** Prose longer than this in code is text for a model, not a message for a user. */
	proseChars: 240,
	proseWords: 40,
	/** Below this share of letters and spaces a long literal is a key, a script or markup, not prose. */
	proseLetterShare: 0.85,
	/** The average word of prose is shorter than this, with its space; encoded data has longer ones. */
	proseCharsPerWord: 12,
	/** A value called a prompt that is longer must move to an .md file. */
	namedPromptChars: 80,
	/** The maximum length of a type annotation between a name and its initial value, in tokens. */
	annotationTokens: 12,
	featureRows: 120,
	/** A checker that takes this long hangs; all of them together take a few seconds. */
	processMs: 240_000,
} as const;
