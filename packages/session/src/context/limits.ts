/** The bounds of the report on the context, each with its reason. */
export const limits = {
	/** Turns whose share of cached tokens is reported: the newest say what happens now. */
	reportedTurns: 100,
	/** Items of a source that the text of the report names; the rest is counted. */
	namedItems: 5,
	/** Turns that the text lists, and characters of a name in it: a line of it fits a terminal. */
	namedTurns: 10,
	textNameChars: 48,
	/** Characters of an item's name: a row has no room for more. */
	nameChars: 200,
} as const;
