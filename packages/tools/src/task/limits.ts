/** The bounds of tasks and agents, each with its reason. */
export const limits = {
	/** Tasks of one call; the settings say how many of them work at once. */
	tasks: 32,
	/** A task that is longer belongs into a file. */
	assignmentChars: 100_000,
	/** Types that are listed for the model, and how much of each description. */
	listedTypes: 40,
	typeChars: 120,
	/** Of a report in the result of the tool; `agent://` has the rest. */
	inlineChars: 20_000,
	/** Of a report that is kept: see TAU_TASK_MAX_OUTPUT_BYTES and TAU_TASK_MAX_OUTPUT_LINES. */
	outputBytes: 500_000,
	outputLines: 5000,
	/** How often an agent that ends without a result is asked for it. */
	reasks: 2,
	/** Results that do not fit the schema, before what there is counts. */
	wrongResults: 3,
	/** How long an agent that was aborted may take to leave what it has: the call itself has a second. */
	partialMs: 400,
	/** Calls that are listed for an agent that has written nothing. */
	listedCalls: 20,
	/** What is listed of a merge; `git diff` shows the rest. */
	mergedChars: 2000,
	shownConflicts: 10,
	conflictChars: 4000,
	/** How often the time in the rows of progress is renewed. */
	clockMs: 1000,
	/** A row of progress. */
	rowChars: 160,
	/** A schema of a result: larger ones cost more than they save. */
	schemaChars: 20_000,
	/** Of a name or an address in a message. */
	shownChars: 80,
} as const;
