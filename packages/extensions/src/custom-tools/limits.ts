/** The bounds of custom tools, each with its reason. */
export const limits = {
	/** Programs of one directory: more is a directory with another purpose. */
	perDirectory: 200,
	/** The part of a program that is read to see whether it can describe itself: its usage text is near its start. */
	headBytes: 64 * 1024,
	/** How long a program may take to describe itself; the start waits for it once, until the file changes. */
	describeMs: 5000,
	/** A description is a page; a longer one would fill the model's context. */
	descriptionBytes: 64 * 1024,
	descriptionChars: 4000,
	/** The number of cached descriptions; each is about a kilobyte. */
	cachedDescriptions: 200,
	/** A call without its own timeout, and the longest that a description may request. */
	callMs: 10 * 60_000,
	callMaxMs: 60 * 60_000,
	/** A result in JSON: images come in it, as base64. Longer is read as text. */
	resultBytes: 8 * 1024 * 1024,
	/** Checked of each chunk for its first character; spaces alone decide nothing. */
	blankBytes: 1024,
	/** Blocks of one result. */
	resultBlocks: 50,
	/** The length of the last lines of standard error that an error repeats. */
	errorChars: 4000,
} as const;
