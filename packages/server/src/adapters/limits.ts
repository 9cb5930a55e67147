/** The bounds of what adapters share, each with its reason. */
export const limits = {
	/** Characters of a tool's output in an update: a view shows less. */
	outputChars: 64 * 1024,
	/** By so much of the end of an output the next one is joined to it. */
	overlapChars: 256,
	/** How long a terminal of the client may take to show the end of an output. */
	terminalMs: 10_000,
} as const;
