/** The bounds of the tools, each with its reason. */
export const limits = {
	/** Bytes that are read to distinguish text from binary; git reads as many. */
	binaryProbeBytes: 8 * 1024,
	/** One line that shows a call to the user; a view cuts it further to its own width. */
	callChars: 1000,
	/** A list with so high a bound has none in the schema: no sensible call has as many items. */
	longList: 100,
	/** How deep nested arguments are coerced: a JSON text in a JSON text is the deepest that was seen. */
	repairRounds: 4,
	/** A text that no tool finds too long: what is longer is checked by the tool's own schema. */
	plainChars: 1000,
	/** The part of an argument that a note repeats; the model has sent it, and only has to recognize it. */
	shownValueChars: 80,
	/** From the first output of a command to its first live update. */
	firstUpdateMs: 16,
	/** Shortest time between two live updates of one command. */
	updateMs: 100,
} as const;
