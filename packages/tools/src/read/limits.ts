/** The bounds of `read`, each with its reason. */
const KB = 1024;
const MB = 1024 * KB;

export const limits = {
	/** Lines in one read; another call reads the rest. */
	lines: 5000,
	/** Bytes in one read: about 12,000 tokens. */
	bytes: 50 * KB,
	/** The longest character in UTF-8. */
	characterBytes: 4,
	/** A longer line belongs to a minified file; its start is enough. */
	lineChars: 2000,
	/** A larger file is not held in memory: only the requested lines are. It cannot be edited by tag either. */
	wholeBytes: 8 * MB,
	/** A larger file is not read further just to count its lines: this size takes 0.1 s. */
	countedBytes: 256 * MB,
	/** The size of one step through a large file. */
	chunkBytes: 256 * KB,
	/** The head of a file, which identifies its kind; a JPEG may have its size after a thumbnail. */
	headBytes: 64 * KB,
	/** Images and documents as they come; sys reads no larger ones either. */
	mediaBytes: 64 * MB,
	/** Colons in a path that may be the one before a range, an entry or a table. */
	pathParts: 64,
	/** Rows of a directory tree, ... */
	treeRows: 300,
	/** ... how deep it goes, ... */
	treeDepth: 3,
	/** ... names below the top that one directory shows, ... */
	treeNames: 25,
	/** ... and names of what is ignored. */
	treeIgnored: 20,
	/** The title of a page. */
	titleChars: 200,
	/** A missing path: how many similar ones are listed, and how long the search for them may take. */
	suggestions: 3,
	suggestMs: 1000,
	/** The part of a notebook cell's output that is shown: enough to recognize it. */
	outputLines: 12,
	outputChars: 1000,
	/** The default and the maximum rows of a table. */
	rows: 100,
	rowsMax: 1000,
	/** The length of one cell of a table, and of one in a row that was requested by its key. */
	cellChars: 200,
	rowCellChars: 10_000,
} as const;
