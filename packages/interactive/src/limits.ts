/** The bounds of the interactive mode, each with its reason. */
export const limits = {
	/** Between two looks of a sign that moves: twelve a second are seen as motion. */
	spinnerMs: 80,
	/** Twenty frames a second: faster changes are not visible, but cost time. */
	fastestMs: 50,
	/** Where nothing moves, elapsed times still count. */
	stillMs: 1000,
	/** Rows of a user's message that are shown without asking for all. */
	userRows: 12,
	/** A command of a session elsewhere that takes longer shows that it works, and that Escape stops it. */
	slowCommandMs: 400,
	/** Earlier prompts that Ctrl+R lists: more than anybody looks through. */
	pastPrompts: 500,
	/** The history file of a directory: some thousand prompts, read in a millisecond. */
	historyBytes: 256 * 1024,
	/** A longer prompt is a pasted file: nobody searches for it, and it would displace a hundred others. */
	storedPromptChars: 16 * 1024,
	/** Directories whose prompts Ctrl+R reads for "everywhere": 12 MB at most, 30 ms. */
	historyFiles: 50,
	/** A call that took less shows no duration, because it would not be informative. */
	shownDurationMs: 1000,
	/** Output lines of a command that the user ran: it was requested, but it must not fill the screen. */
	userCommandLines: 20,
	/** Lines of a result, or rows of a diff, that are shown without being asked for. */
	fullLines: 20,
	/** Lines of a result that is shown whole; more is for a pager. */
	resultLines: 2000,
	/** Of thinking that comes, the part in which a headline is looked for. */
	headlineChars: 400,
	/** Directories that complete a path: a list that nobody reads to its end. */
	completedDirectories: 50,
	/** For tokens of an answer that still comes: English and code have about four characters in each. */
	charsPerToken: 4,
	/** A turn that took at least so long ends with a line that says so. */
	turnLineMs: 5000,
	/** A command that runs for so long could continue in the background: then the key for that is shown. */
	backgroundHintMs: 5000,
	/** Waiting messages that are shown; the rest is counted. */
	pendingShown: 3,
	/** Tasks of the todo list that are shown at once. */
	todoRows: 6,
	/** The tallest image below a call: a glance, not the whole screen. */
	imageRows: 20,
	/** Rows of the screen that no image takes: the line of the call, the editor and the footer. */
	rowsBesideImage: 6,
	/** Breakpoints of one program above the editor. */
	breakpointRows: 5,
	/** Rows of the screen that a terminal leaves to its frame, the footer and the current activity. */
	terminalFrameRows: 8,
	/** Rows of a terminal that is shown while the user writes in the editor. */
	terminalPreviewRows: 6,
	/** Two presses within this time are one gesture. */
	doublePressMs: 600,
	/** A user whose last key is not older is typing: the pause between two words of a slow typist. */
	typingMs: 700,
	/** A draft is written when typing pauses for this long. */
	draftMs: 250,
	/** A draft is text that a user types; a megabyte is a file. */
	draftChars: 1024 * 1024,
	/** Messages of a session that is opened again which are drawn; the whole is in the log. */
	resumedMessages: 200,
	/** And their characters: ten screens or so. Three times as many took 70 ms longer to reach the prompt. */
	resumedChars: 20_000,
	/** Entries of a session whose usage is counted at once: this many take 2 ms, ten thousand 40. */
	countAtOnce: 500,
	/** The others are counted when the first keys after the start are on the screen. */
	countAfterMs: 150,
	/** Paths that are offered after an @. */
	mentions: 50,
	/** How long git may take to report the state of the working tree. */
	gitMs: 5000,
	/** The footer only needs to know whether git lists any change. */
	gitStatusBytes: 64 * 1024,
	/** A status that takes longer is asked for without untracked files from then on. */
	gitSlowMs: 1000,
	/** After something may have changed the tree: several changes ask git once. */
	gitSettleMs: 400,
	/** A command of the user may run for long: Escape cancels it, and this limit ends forgotten ones. */
	bashMs: 24 * 60 * 60 * 1000,
	/** An image as models take it: larger ones are made smaller before they are sent. */
	imageBytes: 64 * 1024 * 1024,
	/** How long a message in the footer stays that answers a key. */
	flashMs: 3000,
	/** How often and how long the user's `footer.command` may run. */
	statusCommandEveryMs: 300,
	statusCommandMs: 5000,
	/** A key that follows a `?` within this time continues a prompt; later, the shortcuts were read. */
	typedOnMs: 600,
	/** The maximum length of the terminal title. */
	titleChars: 60,
	/** Files that the question of trust names; the rest is counted, and the question stays on a small screen. */
	trustPaths: 4,
	/** What is left of a message that is shown in one row. */
	lineChars: 300,
	/** The part of a call's line that says what the sandbox has denied. */
	deniedChars: 48,
	/** How long an attached screen waits to learn what extensions draw of the conversation, before it shows it. */
	firstComponentsMs: 150,
	/** Blocks of a conversation that are asked for at once from where the session is; older ones are out of sight. */
	remoteBlocks: 400,
	/** How long a block waits for the rows that an extension draws elsewhere, before it is shown without. */
	remoteRowsMs: 3000,
} as const;
