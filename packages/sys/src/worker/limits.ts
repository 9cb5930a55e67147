/** The bounds of worker processes, each with its reason. */
export const limits = {
	/** Processes of one kind that work at a time; more would compete with what the user runs. */
	processes: 2,
	/** Requests that wait for a process; a turn of a model has fewer calls. */
	queued: 256,
	/** A process without work ends after this time: the next file of a document is often read within seconds. */
	idleMs: 15_000,
	/** How often the memory of a working process is measured; one look takes 20 µs. */
	memoryLookMs: 20,
	/** The same where only a program (`ps`) knows the memory of another process. */
	memoryProgramMs: 250,
	/** A process that needed more is not reused: JavaScript engines seldom give memory back. */
	keptBytes: 192 * 1024 * 1024,
	/** A frame that a parent sends: the largest file that is read, and its arguments. */
	requestBytes: 300 * 1024 * 1024,
	/** How many times as long as allowed a task may take that waits for a processor of a busy machine. */
	busyFactor: 4,
	/** How much longer than its parent a process waits before it ends its own work, in case the parent was killed. */
	orphanSeconds: 2,
} as const;
