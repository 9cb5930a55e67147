/** The bounds of Markdown, each with its reason. */

export const markdownLimits = {
	/** The nesting of quotes, lists and items; deeper ones are text. A screen shows about ten levels. */
	containers: 48,
	/** Characters of a paragraph; a longer one is split. */
	paragraphChars: 16_384,
	/** Characters of a line; a longer one is split. The open line is parsed again with every delta. */
	lineChars: 8192,
	/** A long text is parsed in parts, so that only its end is parsed again. A part has at least this length. */
	partChars: 384,
	/** The end of a part is searched again after this many more characters. */
	partStep: 192,
	/** A part ends here at the latest: longer emphasis is not recognized. */
	partMost: 1024,
	/**
	 * Characters that are laid out for one frame: 4 KB of highlighted code take 5 ms, 25 on a machine that is busy with
	 * other work, and the next frame continues.
	 */
	frameChars: 4096,
	/** A text that is only read takes so many times less than one that is laid out. */
	readFactor: 16,
	/** CommonMark's own bounds: characters of a link's label, and nested parentheses in its address. */
	labelChars: 999,
	parentheses: 32,
	/** The number of rows that determine the column widths of a table: after these, the widths are fixed. */
	measuredRows: 64,
	/** The additional width of each column of such a table beyond what those rows need. */
	spareCells: 16,
	/** A narrower column is unreadable; a table that would need one is shown as a list of records. */
	columnCells: 6,
	/** In fewer cells, signs and wide characters may not fit however a row is wrapped. */
	narrowCells: 20,
	/** The maximum length of a thematic break. */
	ruleCells: 80,
} as const;
