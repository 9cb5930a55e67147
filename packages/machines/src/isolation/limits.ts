/** Bounds of isolated trees, with their reasons. */
export const limits = {
	/** A namespace and a mount take a few milliseconds; on a machine under load, much longer. */
	startMs: 5_000,
	/** What a failed start may say. */
	complaintBytes: 4_096,
	/** Changed files that are compared and merged: more is a build, not work. */
	changedFiles: 20_000,
	/** A merge holds the versions of a file in memory. */
	fileBytes: 64 * 1024 * 1024,
	/** Lines that differ before two versions count as replaced. */
	lineEdits: 20_000,
	/** Of a conflict, for the model. */
	markedBytes: 64 * 1024,
	/** A checkout of 50,000 files takes 7 s on a fast disk. */
	gitMs: 300_000,
	/** The list of 500,000 files. */
	gitBytes: 64 * 1024 * 1024,
	/** The status of 500,000 files takes some seconds. */
	baseMs: 30_000,
	/** Uncommitted files whose first version is copied for a merge, and how much of them; larger ones are seldom text. */
	baseFiles: 2000,
	baseFileBytes: 1024 * 1024,
	baseBytes: 64 * 1024 * 1024,
	/** A file may change while it is merged; then it is merged again. */
	mergeAttempts: 3,
	/** Trees that a list shows. */
	leftovers: 200,
	recordBytes: 64 * 1024,
	/** A copy of more takes a minute and gigabytes. */
	copiedFiles: 200_000,
	/** Facts of 500,000 files. */
	manifestBytes: 128 * 1024 * 1024,
} as const;
