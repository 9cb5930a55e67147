/** The bounds of slash commands, each with its reason. */
export const limits = {
	/** Sessions that can be pinned, and archived; the oldest marks are dropped. */
	markedSessions: 2000,
	/** How long git may take to report changes. */
	gitMs: 5000,
	/** How long git may take to check out or merge a large repository. */
	worktreeMs: 120_000,
	/** The maximum number of bytes that are read of git's output. */
	gitBytes: 4 * 1024 * 1024,
	/** Characters of foreign text in one line: more than any screen is wide. */
	lineChars: 400,
	/** Entries on the way to one that a client asks for, at most. */
	entries: 500,
	/** The last lines of a job's output in a list of jobs. */
	tailLines: 10,
	/** Characters of a tree entry that a search reads. */
	searchChars: 2000,
	/** Lines that a list in a reply has; `data` has all of them. */
	listed: 200,
	/** Entries of a session that a reply of /tree has, the newest ones. */
	treeEntries: 2000,
	/** The name of a link to a shared session, and how long one may last: a year. */
	linkNameChars: 40,
	linkMs: 366 * 86_400_000,
	/** How many guests one may be bounded to: a room remembers so many for each link. */
	linkUses: 1000,
	/** What takes longer than this shows how to cancel it. */
	slowActionMs: 400,
} as const;
