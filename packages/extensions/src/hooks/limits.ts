/** The bounds of hooks, each with its reason. */
export const limits = {
	/** A hook without its own timeout; Claude Code's figure. */
	timeoutMs: 60_000,
	/** The longest timeout of a file: a hook may run the tests of a project, but not all day. */
	timeoutMaxMs: 60 * 60_000,
	/** After this time a user wonders what takes so long, so the hook is named. */
	slowMs: 10_000,
	/** The limit at the end of a session, whatever the file sets: the user has the shell back after 3 s (leaveMs). */
	endMs: 1500,
	/** A file of hooks is a page; settings of other programs hold more than hooks. */
	fileBytes: 1024 * 1024,
	/** Hooks of one file: more is a file with another purpose. */
	perFile: 200,
	/** What is read of each of the two outputs; the rest is dropped. */
	outputBytes: 256 * 1024,
	/** The maximum text that a hook may send to the model at once; Claude Code's figure. */
	contextChars: 10_000,
	/** The maximum length of a hook's text in a notice for the user. */
	noticeChars: 500,
	/** Of a command in a list. */
	commandChars: 80,
	/** Reported failures of one hook; a hook that fails on each call would flood the screen. */
	reportedFailures: 3,
	/** Times in a row that a Stop hook may continue the run without a prompt of the user. */
	stopsInARow: 20,
	/** After this time without a prompt, a Notification reports that Tau waits; Claude Code's figure. */
	idleMs: 60_000,
	/** Calls whose arguments are remembered until their results arrive. */
	openCalls: 1000,
} as const;
