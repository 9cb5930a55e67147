/** The bounds of debugging, each with its reason. */
export const limits = {
	/** Programs that are debugged at once; each has an adapter and a debuggee. */
	sessions: 4,
	/** Sessions of one program: the adapters of its processes. A fork bomb is not debugged as a whole. */
	children: 16,
	/** An adapter that has not answered `initialize` by then hangs. */
	startMs: 20_000,
	/** Building and loading a large program. */
	launchMs: 60_000,
	/** One request; a stopped debuggee answers in milliseconds. */
	requestMs: 15_000,
	/** How long a run or a step waits for the next stop, ... */
	waitSeconds: 30,
	/** After attaching without a place to stop at: how long an adapter may take to stop the program by itself. */
	attachSeconds: 0.5,
	/** ... and the longest that a call may ask for. */
	waitMaxSeconds: 600,
	/** How long changes of a program are gathered before clients see them. */
	announceMs: 30,
	/** How long an adapter may take to end its debuggee. */
	stopMs: 2000,
	/** After an exit, how long the end of what it wrote may take to arrive. */
	drainMs: 200,
	/** The same for what the program printed, which other processes carry; they are waited for on a busy machine too. */
	printedMs: 3000,
	/** Bytes of an executable that say which language it was built from: those that Go's own tools look at. */
	headBytes: 32_768,
	/** How long a probe for an adapter may take. */
	probeMs: 5000,
	/** Characters of the probe's answer: a version. */
	probeChars: 4000,
	/** The output of a debuggee that is kept: the newest. */
	outputChars: 64_000,
	/** The part of it that a report of a stop shows. */
	reportOutputChars: 2000,
	/** Lines of an adapter's own errors that are kept. */
	logLines: 20,
	logLineChars: 300,
	/** Requests that wait for an answer at once. */
	pendingRequests: 200,
	/** Breakpoints of one program. */
	breakpoints: 200,
	/** Frames in one report, and variables of one scope. */
	frames: 20,
	threads: 50,
	variables: 50,
	/** Expressions that one call may show. */
	shown: 30,
	valueChars: 300,
	/** An answer that was asked for alone. */
	answerChars: 8000,
	/** Levels of variables inside variables. */
	depth: 3,
	/** Source lines before and after a stop. */
	around: 2,
	lineChars: 160,
	/** A larger source is named, and not shown. */
	sourceBytes: 4_000_000,
	/** Bytes that one call reads from memory, and instructions that it disassembles. */
	memoryBytes: 4096,
	instructions: 200,
} as const;
