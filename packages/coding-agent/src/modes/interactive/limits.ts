/** The bounds of the interactive mode, each with its reason. */
export const limits = {
	/** Between two looks of a sign that moves: twelve a second are seen as motion. */
	spinnerMs: 80,
	/** Where nothing moves, elapsed times still count. */
	stillMs: 1000,
	/** A call that took less shows no duration: it says nothing. */
	shownDurationMs: 1000,
	/** Lines of a running command that are shown: a look at where it is. */
	liveLines: 5,
	/** Lines of a command that the person ran: asked for, and still no wall. */
	personLines: 20,
	/** Lines of what failed: the reason stands at the end. */
	failedLines: 8,
	/** Rows of a diff, and of a file that was written, while results are condensed. */
	diffRows: 24,
	writtenLines: 8,
	/** Lines of a result that is shown whole; more is for a pager. */
	resultLines: 2000,
	/** Waiting messages that are shown; the rest is counted. */
	pendingShown: 3,
	/** Tasks of the todo list that are shown at once. */
	todoRows: 6,
	/** Two presses within this time are one gesture. */
	doublePressMs: 600,
	/** A draft is written when typing pauses for this long. */
	draftMs: 250,
	/** A draft is text of a person; a megabyte is a file. */
	draftChars: 1024 * 1024,
	/** Messages of a session that is opened again which are drawn; the whole is in the log. */
	resumedMessages: 200,
	/** And their characters: about a thousand rows, laid out in less time than anybody notices. */
	resumedChars: 60_000,
	/** Paths that are offered after an @. */
	mentions: 50,
	/** How long git may take to say what is on in the working tree. */
	gitMs: 5000,
	/** A status that takes longer is asked for without untracked files from then on. */
	gitSlowMs: 1000,
	/** After something may have changed the tree: several changes ask git once. */
	gitSettleMs: 400,
	/** A command of the person may run for long: Escape ends it, and this ends what was forgotten. */
	bashMs: 24 * 60 * 60 * 1000,
	/** An image as models take it: larger ones are made smaller before they are sent. */
	imageBytes: 64 * 1024 * 1024,
	/** How long a word in the footer stays that answers a key. */
	flashMs: 3000,
	/** What the title of a terminal can say. */
	titleChars: 60,
	/** Files that the question of trust names; the rest is counted, and the question stays on a small screen. */
	trustPaths: 4,
	/** What is left of a message that is shown in one row. */
	lineChars: 300,
} as const;
