/** The bounds of the command line, each with its reason. */
export const limits = {
	/** Of the id of a session: the millisecond of its beginning and a part that is random, since two may begin at once. */
	shownIdChars: 18,
	/** More than this, from a pipe or in one file, is not a prompt; no model takes it. */
	inputBytes: 16 * 1024 * 1024,
	/** The prompts of a detached session, with their images, as one line of JSON. */
	promptLineBytes: 64 * 1024 * 1024,
	/** How long processes that a command of `tau sandbox` has left behind may take to end, while they start others. */
	leftoversMs: 5000,
	/** After this long without the end of standard input, Tau prints a line about what it waits for. */
	stdinHintMs: 1000,
	/** A standard input that stays silent for so long was left open by mistake; slow programs start within it. */
	stdinWaitMs: 30_000,
	/** With less free space, a long session may not be stored. */
	doctorFreeBytes: 256 * 2 ** 20,
	/** Names of one kind in a row of `tau doctor`. */
	doctorNames: 4,
	/** How long a program may take that `tau doctor` asks for an option, and how long the project is searched. */
	doctorProgramMs: 2000,
	doctorSearchMs: 10_000,
	/** Starts before memory is offered: then there are sessions to learn from. */
	startsBeforeMemory: 5,
	/** Starts before a language server is offered: a look around is not worth a search of the project. */
	startsBeforeLsp: 2,
	/** A language with fewer files than this is not what a project is written in. */
	doctorLanguageFiles: 5,
	/** The longest delay that a timer supports. */
	longestWaitMs: 2_147_483_647,
	/** The time that an interrupted run has for cleanup before the process ends anyway. */
	shutdownMs: 250,
	/** The same in RPC mode, whose client is promised the last events and responses, also by a busy machine. */
	rpcShutdownMs: 3000,
	/** How long keys that were pressed before the end are waited for, and how long none must have come. */
	drainMs: 150,
	drainIdleMs: 30,
	/** The timeout for closing an interactive session: messages are on disk, only child processes are awaited. */
	leaveMs: 3000,
	/** How long a terminal's last session is remembered; after so long `-c` is not expected to find it. */
	terminalDays: 30,
	/** How long processes that extensions left running may continue after everything else has ended. */
	lingerMs: 250,
	/** Longer than any key or redirect address that a user types or pastes. */
	lineChars: 16 * 1024,
	/** The length of a value in a table; `tau config get` prints the whole value. */
	valueChars: 48,
	/** The part of one entry that `tau sessions show` prints; an export has the whole. */
	entryChars: 200,
	/** The deepest indentation of nested branches; a terminal has no space for more. */
	shownDepth: 20,
	/** The length of a line that `tau grep` shows on a terminal, and of one that another program reads. */
	grepLineChars: 2000,
	grepPipedLineChars: 1024 * 1024,
	/** A user may wait for a search of a whole disk; Ctrl+C ends it. */
	grepMs: 3_600_000,
	/** A user's command may run for a day; Ctrl+C ends it. */
	shellMs: 24 * 60 * 60 * 1000,
	/** The delay between two attempts to write to a slow reader. */
	slowReaderMs: 2,
	/** Sessions to choose from on the command line: more are better searched. */
	askedSessions: 30,
	/** The text is part of a file name, which may have 255 bytes, including the time. */
	sessionIdChars: 128,
	/** Packages that a question names; the rest is counted, and the question stays on a small screen. */
	namedPackages: 4,
	/** How many processes of Tau may start one another, as many as sessions in one process; more are a loop. */
	processDepth: 8,
	/** Keys of a project's `.env` that one line names; the rest is counted. */
	namedKeys: 4,
	/** The part of an extension's single output that the log stores. */
	capturedOutputChars: 2000,
	/** How long `tau mcp list` waits for servers; those that take longer are listed as starting. */
	mcpListMs: 10_000,
	/** The manifest of a release and its signature. */
	releaseBytes: 256 * 1024,
	/** One file of a release over a slow line. */
	downloadMs: 30 * 60_000,
	/** How long a new executable may take for its first start. */
	tryOutMs: 60_000,
	/** What is shown of the version that it prints. */
	shownVersion: 60,
	/** Of a message, in the list of `tau sessions restore`. */
	restoreTextChars: 60,
} as const;
