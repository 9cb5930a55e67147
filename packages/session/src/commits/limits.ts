/** Bounds of commits, with their reasons. */
export const limits = {
	/** Hooks may run a test suite. */
	hookMs: 600_000,
	gitMs: 60_000,
	/** The contents of all changed files, before and after. */
	gitBytes: 256 * 1024 * 1024,
	/** A larger file is one change. */
	splitBytes: 1024 * 1024,
	/** Lines between two changes of one hunk, as in git. */
	hunkGap: 6,
	/** Lines around a change in a preview. */
	contextLines: 3,
	lineEdits: 10_000,
	/** Of one file, for the model. */
	fileChars: 12_000,
	/** Of the whole diff, for one request; a longer one is summarized part by part. */
	diffChars: 60_000,
	/** Summaries of parts: more is cut. */
	parts: 24,
	/** Requests at the same time. */
	requests: 4,
	/** Subjects of earlier commits that show the style. */
	history: 30,
	messageTokens: 2_000,
	messageChars: 10_000,
	answerMs: 180_000,
	commits: 50,
	/** Of the diff that a reviewer gets; it reads the rest itself. */
	reviewChars: 120_000,
} as const;
