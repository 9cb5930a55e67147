/** The bounds of custom tools, each with its reason. */
export const limits = {
	/** Programs of one directory: more is a directory that was meant for something else. */
	perDirectory: 200,
	/** What is read of a program to see whether it can describe itself: its usage text stands near its start. */
	headBytes: 64 * 1024,
	/** How long a program may take to say what it is; the start waits for it once, until the file changes. */
	describeMs: 5000,
	/** A description is a page; a longer one would fill the model's context. */
	descriptionBytes: 64 * 1024,
	descriptionChars: 4000,
	/** Descriptions that are kept; each is about a kilobyte. */
	cachedDescriptions: 200,
	/** A call without a time of its own, and the longest that a description may ask for. */
	callMs: 10 * 60_000,
	callMaxMs: 60 * 60_000,
	/** A result in JSON: images come in it, as base64. Longer is read as text. */
	resultBytes: 8 * 1024 * 1024,
	/** Looked at of each piece for its first sign; blanks alone decide nothing. */
	blankBytes: 1024,
	/** Blocks of one result. */
	resultBlocks: 50,
	/** What an error says of the last lines on standard error. */
	errorChars: 4000,
} as const;
