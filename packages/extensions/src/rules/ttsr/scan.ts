/** A condition on its way through a text that arrives in pieces. */
export interface Scan {
	/**
	 * Reads on, from one place in the text to another. Says whether the condition is met. How the text was cut makes no
	 * difference to what it says in the end.
	 */
	push(text: string, from: number, to: number): boolean;
	/** Where in that text it stopped because nothing was under way: a match would have to begin with what comes next. */
	readonly idleAt: number | undefined;
	/** Nothing more comes. */
	end(): boolean;
}
