/** The bounds of what waits for a decision. */
export const limits = {
	/** Previews that wait at once; the oldest is discarded for a new one. */
	pending: 20,
	reasonChars: 1000,
} as const;
