/** The bounds of Markdown, each with its reason. */

export const markdownLimits = {
	/** Quotes, lists and items inside each other; deeper ones are text. A screen shows about ten levels. */
	containers: 48,
	/** Characters of a paragraph that are read together: the open one is read again with every delta. */
	paragraphChars: 8192,
	/** A longer line goes on as another one, for the same reason. */
	lineChars: 8192,
	/** CommonMark's own bounds: characters of a link's label, and parentheses inside each other in its address. */
	labelChars: 999,
	parentheses: 32,
	/** Rows that decide how wide the columns of a table are: with more of them, those that are done stay as they are. */
	measuredRows: 64,
	/** A column that is narrower cannot be read; a table that would need such ones is shown as a list of records. */
	columnCells: 6,
	/** The line of a thematic break is no longer than what people read at a glance. */
	ruleCells: 80,
} as const;
