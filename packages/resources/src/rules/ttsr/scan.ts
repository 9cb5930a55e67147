/** The evaluation of a condition over a text that arrives in chunks. */
export interface Scan {
	/**
	 * Continues the scan from one position in the text to another. Returns whether the condition is met. The result does
	 * not depend on how the text was split into chunks.
	 */
	push(text: string, from: number, to: number): boolean;
	/** The position at which it stopped because no match was in progress: a match can only start later. */
	readonly idleAt: number | undefined;
	/** Ends the text. */
	end(): boolean;
}
