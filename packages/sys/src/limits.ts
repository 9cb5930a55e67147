/** The bounds of the package, each with its reason. */
export const limits = {
	/** What a model can use of a command's output; the spec's figure. */
	outputTailBytes: 50 * 1024,
	/** How long a process that was asked to end may take before it is killed; Ctrl+C must be done in 300 ms. */
	killGraceMs: 120,
	/** How long to wait for a killed process to be gone; only one that hangs in the kernel takes longer. */
	killWaitMs: 60,
	/** Between two looks at processes that are about to end; one look costs some microseconds a process. */
	killPollMs: 5,
	/** After the shell has ended: how often to look whether a pipe that a background child holds is silent, ... */
	drainTickMs: 25,
	/** ... how many looks in a row must find it silent, ... */
	drainSilentTicks: 4,
	/** ... and how many looks there are for a child that never stops talking: 2 s. */
	drainTicks: 80,
} as const;
