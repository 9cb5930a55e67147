/** The bounds of RPC mode, each with its reason. */
const MiB = 1024 * 1024;

export const limits = {
	/** The size of one command. A prompt with a dozen large images fits; a longer line is discarded. */
	commandBytes: 64 * MiB,
	/** One frame as a client takes it. `get_messages` of a long session with pictures is the largest. */
	frameBytes: 512 * MiB,
	/** The part of an unknown word that an error repeats. */
	echoChars: 100,
	/** Paths that a client can show while one types. */
	paths: 50,
	/** A file that a client shows; a frame with it in Base64 still fits. */
	fileBytes: 32 * MiB,
	/** How long reading a file may take: documents are read by another process. */
	fileMs: 30_000,
	/** Commands of `bash` at a time; more is a client that has lost count. */
	bashCommands: 16,
	/** Slash commands of a client at a time, for the same reason. */
	slashCommands: 16,
	/** A command of the user may run for long: `abort_bash` cancels it, and this limit ends forgotten ones. */
	bashMs: 24 * 60 * 60 * 1000,
	/** Dialogs of extensions at a time; more is an extension that has lost count, and they are not answered. */
	openDialogs: 64,
	/** Commands that wait while a dialog is open: a client that sends more has to answer it first. */
	queuedCommands: 64,
	/** How long a command of an extension may take after the input has ended. */
	commandEndMs: 3000,
	/** How long a client waits for an answer; only `bash`, `compact` and commands of extensions may take longer. */
	requestMs: 30_000,
	/** How long a client waits for a run to end if it sets no timeout: tools may take minutes. */
	idleMs: 60 * 60 * 1000,
	/** How long a child that was asked to end may take: it ends its own children within a quarter of a second. */
	stopMs: 2000,
	/** The part of its child's standard error that a client keeps, to report why it ended. */
	stderrChars: 64 * 1024,
} as const;
