/** A condition on its way through a text that arrives in pieces. */
export interface Scan {
	/**
	 * Continues the scan from one position in the text to another. Returns whether the condition is met. The result does
	 * not depend on how the text was split into chunks.
	 */
	push(text: string, from: number, to: number): boolean;
	/** Where in that text it stopped because nothing was under way: a match would have to begin with what comes next. */
	readonly idleAt: number | undefined;
	/** Nothing more comes. */
	end(): boolean;
}
