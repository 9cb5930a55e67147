/** The bounds of the selectors, each with its reason. */
export const limits = {
	/** Rows of a list on a screen that has next to none; fewer are no list. */
	leastRows: 3,
	/** Rows of a list, unless half of the screen is more. */
	usualRows: 5,
	/** Rows of a list whose columns are moved next to the longest text: each is drawn for that in every frame. */
	alignedRows: 100,
	/** The text of a row keeps this many cells; columns beside it are dropped first. */
	leastMain: 18,
	/** Characters of foreign text in one row: more than any screen is wide. */
	rowChars: 400,
	/** The maximum number of rows that a message to the user takes in a list. */
	noteRows: 3,
	/** Characters of a tree entry that a search reads. */
	searchChars: 2000,
	/** Entries of a session that are read before keys are handled again: a few milliseconds. */
	entriesPerTurn: 200,
	/** Indentation takes at most this share of a row: a tree may be deeper than the screen is wide. */
	guideShare: 0.4,
	/** The end of a session file in which the preview searches the last message. */
	previewBytes: 64 * 1024,
	/** Cells of a git branch in a row of the sessions. */
	branchCells: 20,
	/** Cells of the name of a directory beside an earlier prompt. */
	directoryCells: 20,
	/** How often what running jobs have printed is read while their list is open. */
	outputMs: 1000,
	/** Rows of the preview. */
	previewRows: 4,
	/** Rows of an answer beside the conversation, and its share of the screen: the work above it stays in view. */
	leastAnswerRows: 10,
	answerShare: 0.6,
	/** What takes longer than this shows how to cancel it. */
	slowActionMs: 400,
	/** Turns that the cost report lists one by one. */
	costTurns: 15,
	/** Rows of a diff that are printed at once. */
	diffRows: 400,
	/** A transcript that is copied whole: more does not fit into clipboards that go through the terminal. */
	dumpChars: 8 * 1024 * 1024,
	/** Entries of the branch that a search in the session reads, and messages that it lists. */
	searchedEntries: 20_000,
	foundMessages: 500,
	/** A key is one word in a header. */
	keyChars: 8 * 1024,
	/** Messages between agents that the hub shows below an agent. */
	agentNotes: 3,
	/** The transcript of an agent leaves this many rows of the screen for what is around it. */
	aroundTranscript: 8,
	/** Rows below the list of findings: the lines around a finding, and what is said about it. */
	findingRows: 10,
	findingContext: 2,
	/** Files that are larger have no preview, and characters of a line. */
	findingBytes: 4 * 1024 * 1024,
	findingChars: 400,
	/** Rows of a changelog that are printed: two screens; the file has the rest. */
	changelogRows: 80,
} as const;
