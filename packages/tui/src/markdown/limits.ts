/** The bounds of Markdown, each with its reason. */

export const markdownLimits = {
	/** Quotes, lists and items inside each other; deeper ones are text. A screen shows about ten levels. */
	containers: 48,
	/** Characters of a paragraph; a longer one goes on as another. */
	paragraphChars: 16_384,
	/** Characters of a line; a longer one goes on as another. The open one is read again with every delta. */
	lineChars: 8192,
	/** A long text is read in parts, so that only its end is read again: from so many characters on where nothing is */
	partChars: 384,
	/** open, which is looked at after every so many more, ... */
	partStep: 192,
	/** ... and at last wherever it is: emphasis that reaches further than this is none. */
	partMost: 1024,
	/** CommonMark's own bounds: characters of a link's label, and parentheses inside each other in its address. */
	labelChars: 999,
	parentheses: 32,
	/** Rows that decide how wide the columns of a table are: with more of them, those that are done stay as they are. */
	measuredRows: 64,
	/** Cells that each column of such a table gets more than those rows need. */
	spareCells: 16,
	/** A column that is narrower cannot be read; a table that would need such ones is shown as a list of records. */
	columnCells: 6,
	/** The line of a thematic break is no longer than what people read at a glance. */
	ruleCells: 80,
} as const;
