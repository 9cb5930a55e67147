/** The bounds of the link to an editor, each with its reason. */
export const limits = {
	/** A lock file holds a few paths and a token. */
	lockBytes: 64 * 1024,
	/** Lock files that are read: more editors than anybody has open. */
	lockFiles: 50,
	/** On this machine an editor answers within milliseconds, unless it hangs. */
	connectMs: 3_000,
	/** What an editor is asked beside a diff, which waits for its user. */
	answerMs: 5_000,
	/** A message of an editor: the text of a large file. */
	messageBytes: 8 * 1024 * 1024,
	/** A longer selection is a file: then the file is mentioned instead. */
	selectionChars: 50 * 1024,
	/** Diagnostics that a prompt gets: more of them say nothing more. */
	diagnostics: 100,
	/** One message of a diagnostic. */
	diagnosticChars: 500,
	/** A name of an editor or file, in a line. */
	nameChars: 80,
} as const;
