/** The bounds of the session log, each with its reason. */
export const limits = {
	/** File systems take no longer name. */
	fileNameBytes: 255,
	/** What is kept of a path that is longer: its end, by which a person recognises it. */
	directoryTailBytes: 200,
} as const;
