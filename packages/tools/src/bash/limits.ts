/** The bounds of commands and jobs, each with its reason. */
export const limits = {
	/** The size of a terminal without a viewer: programs are written for this size. */
	ptyColumns: 80,
	ptyRows: 24,
	/** The end of an output in which programs say what it came to. */
	outcomeScannedChars: 16 * 1024,
	/** Output with fewer lines is shown whole, and says no more when it is summarized. */
	outcomeLines: 3,
	/** One error of a compiler, which the screen shortens further. */
	outcomeChars: 200,
	/** Jobs that run at a time; a model that starts more has lost count. */
	runningJobs: 16,
	/** Ended jobs whose output the model can still request: a few hundred KB each. */
	endedJobs: 32,
	/** The part of a job's output that the model receives when the job ends; another call reads the rest. */
	endLines: 20,
	/** The length of a job's name in a list. */
	labelChars: 100,
	/** The default and the maximum wait of a poll: then the model gets a turn to reconsider. */
	pollSeconds: 30,
	pollMaxSeconds: 600,
	/** How long to wait for the answer to what was typed before the output is shown. */
	inputMs: 300,
	/** When ports are looked at first: nearly all commands have ended by then. */
	firstLookMs: 1_000,
	/** The longest interval between two looks, each of which reads two small files. */
	lastLookMs: 15_000,
	/** How long a server that a command left behind may take to start. */
	leftMs: 20_000,
	/** Linux gives ports from here on to programs that ask for any: servers of tests, which nobody wants to open. */
	firstPassingPort: 32_768,
	/** Ports that the user is asked about at a time. */
	portQuestions: 3,
	/** Ports that were seen, and notes about them that wait for the next result. */
	seenPorts: 200,
	portNotes: 8,
	/** Things that the sandbox has denied, in the user's list. */
	denials: 50,
	/** The part of a failing check's command that a compaction keeps: it has to be recognized and run again. */
	checkChars: 300,
	/** Lines of one kind that a shortened output shows, and how many more there have to be. */
	minimizerShown: 2,
	minimizerRun: 6,
	/** Characters that shortening has to save: less is not worth a note. */
	minimizerSaved: 400,
	/** A longer line is not progress. */
	minimizerLine: 400,
} as const;
