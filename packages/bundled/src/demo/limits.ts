/** The bounds of the demo model, each with its reason. */
export const limits = {
	/** Answers to one prompt. The longest plan takes five; more than this is a plan that goes in circles. */
	turns: 12,
	/** "stream N lines": enough to show that a long answer stays smooth, about 5 MB. */
	sampleLines: 100_000,
	/** A delta of about three words, as providers send them. */
	chunkChars: 16,
	/** A word longer than this many chunks is cut: one delta must not contain a whole minified file. */
	chunkStretch: 4,
	/** Deltas that the arguments of one call are cut into, at most. */
	argumentChunks: 200,
	/** A slower stream would not be watched. */
	paceMs: 1_000,
	/** Looking for keys and local servers; a server that does not answer by then is as good as absent. */
	factsMs: 5_000,
	/** Linux takes 128 KiB per argument, and the tool runs `bash -c COMMAND`. */
	commandBytes: 120_000,
	/** Phrases that are matched as a whole are short; a pasted page is not one of them. */
	phraseChars: 5_000,
	/** PATH_MAX of Linux. */
	pathChars: 4_096,
	/** A line to search for. */
	needleChars: 1_000,
	/** Bash looks for the first occurrence in quadratic time: 0.3 s here, 5 s for 1 MiB. */
	replaceBytes: 256 * 1024,
	/** Matches that a search may return before it is cut. */
	searchLines: 200,
	/** Bytes of one matching line: minified files have one line. */
	searchLineBytes: 300,
	/** File names that a search may return before it is cut. */
	searchNames: 50,
	/** Matches and names that an answer lists. */
	listedMatches: 8,
	/** Files that are checked for the languages of a project. */
	countedFiles: 20_000,
	countedDepth: 6,
	/** Entries of a folder that a listing shows. */
	listedEntries: 200,
	readmeLines: 120,
	tourLines: 20,
	/** Lines of a file or an output that an answer repeats; the tool's result has all of them. */
	shownLines: 60,
	/** Lines at each end of an output that is too long to repeat. */
	shownEnds: 10,
	shownLineChars: 400,
	/** Lines that one read requests; the tool has its own limit, above this. */
	rangeLines: 2_000,
	/** Lines around a change. */
	aroundChange: 2,
	/** A description or a name inside a sentence. */
	sentenceChars: 300,
	listedScripts: 10,
	listedFolders: 16,
	listedLanguages: 6,
	listedStartLines: 4,
	/** Variables that a newcomer is likely to have; `tau --list-models` names all. */
	listedKeys: 5,
} as const;
