/** The bounds of cells and their interpreters, each with its reason. */
export const limits = {
	/** Seconds that a cell may run; as omp has them. */
	seconds: 30,
	maxSeconds: 600,
	/** How long an interrupted cell may take to end before its interpreter is killed: less than the loop waits for a tool. */
	interruptMs: 600,
	/** The longest wait for the text that a cell printed before its end: it is in the pipe already. */
	textMs: 500,
	/** One frame: an image of 8 MB in base64, and some. */
	frameBytes: 12 * 1024 * 1024,
	/** Images of one cell; more would fill the context. */
	images: 8,
	/** Calls of tools by one cell: a loop that never ends is stopped, one over every file of a project is not. */
	calls: 10_000,
	/** Calls of tools that run at the same time; the others wait. */
	callsAtOnce: 8,
	/** Text that is printed between two cells, by threads and background processes. */
	strayChars: 16_384,
	/** How long the editor waits for names; it takes keys meanwhile. */
	completeMs: 5000,
	/** Names that are offered. */
	completions: 100,
	/** Names of lost variables that a note lists. */
	lostNames: 20,
	/** Import statements that a restarted interpreter runs again. */
	imports: 100,
	/** Modules of the user and the project that are loaded at the start. */
	modules: 50,
	/** The part of a frame that is logged where frames are. */
	tracedChars: 2000,
	/** The part of a cell in the line that shows its call. */
	shownCode: 200,
} as const;
