/** A condition on its way through a text that arrives in pieces. */
export interface Scan {
	/** Says whether the condition is met. How the text was cut makes no difference to what it says in the end. */
	push(text: string): boolean;
	/** Nothing more comes. */
	end(): boolean;
}
