/** Bounds of judging a command. What is beyond them is unknown, so that it is asked about. */
export const limits = {
	/** A longer command is not parsed. Models write files of this size with heredocs; larger ones are rare. */
	commandChars: 128 * 1024,
	/** Nested constructs; people and models stay below 10, and each level uses the call stack. */
	depth: 60,
	/** Steps of the parser for each character of the command, so that hostile nesting costs linear time. */
	stepsPerChar: 24,
	/** Wrappers inside of wrappers (`env sudo nice …`), and scripts inside of `bash -c` strings. */
	wrappers: 12,
	/** Programs, writes and reads that are listed. */
	listed: 2000,
	/** Scripts of sed and awk inside of a command; longer ones are files. */
	scriptChars: 16 * 1024,
	/** Words that one brace expansion makes. */
	braceWords: 64,
	/** A reason quotes the command. */
	reasonChars: 200,
	/** Characters of an option with its value in a reason. */
	reasonWordChars: 60,
	/** Braces in one word. */
	braces: 16,
	/** Directories in which a relative path may be, after a `cd` that may fail. */
	directories: 4,
	/** No system opens a longer name; a shorter one is resolved part by part. */
	pathChars: 4096,
	/** Directories that a command changes to, with those above the project. */
	visited: 40,
	/** Relative names that are read after a `cd` that leads to a place that is not known; each is judged in all of `visited`. */
	adrift: 40,
} as const;
