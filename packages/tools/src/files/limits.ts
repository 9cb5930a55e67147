/** The bounds of what `read`, `write` and `edit` share, each with its reason. */
const MB = 1024 * 1024;

export const limits = {
	/** Texts that are stored so that a stale tag can be found again; the oldest are dropped, their tags stay. */
	snapshotChars: 32 * MB,
	/** States of one file that a model may still name. */
	snapshotsPerFile: 8,
	/** Files whose tags are remembered. */
	snapshotFiles: 4000,
	/** Unchanged lines around a change; what `diff -u` shows. */
	diffContext: 3,
	/** Up to so many changed lines a diff is the shortest one; the comparison is quadratic in them. */
	diffEdits: 1000,
	/** Lines of a diff that are stored with a result: git is the better viewer for longer diffs. */
	diffLines: 400,
	/** A longer line of a diff is cut: it is a minified file. */
	diffLineChars: 500,
	/** The head of a file that is searched for a marker of generated code. */
	generatedChars: 1024,
	generatedLines: 40,
	/** Conflicts of one session that can be named: more are worked on file by file. */
	conflicts: 1000,
} as const;
