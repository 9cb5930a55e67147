/** The bounds of the package, each with its reason. */
export const limits = {
	/** What a model can use of a command's output; the spec's figure. */
	outputTailBytes: 50 * 1024,
	/** How long a process that was asked to end may take before it is killed; Ctrl+C must be done in 300 ms. */
	killGraceMs: 120,
	/** After the shell has ended: how long a pipe that a background child holds may stay silent, and open at all. */
	drainIdleMs: 100,
	drainMaxMs: 2000,
} as const;
