/** The bounds of stream rules, each with its reason. */
export const limits = {
	/** How far back from its word a condition may match: about forty lines. */
	windowChars: 2048,
	/** The window of conditions that need backtracking: the worst case takes a few milliseconds. */
	backtrackingWindows: [2048, 2048, 400, 128],
	/** Those are matched at the end of a line, because they look ahead; within a line only if it is longer than this. */
	backtrackingStep: 512,
	/** A repetition that may be longer counts as unbounded. */
	openRepeat: 64,
	/** Paths through alternatives and short repetitions, at each of some thousand positions: a second in the worst case. */
	backtrackingWays: 20_000,
	/** The total time that one of them may take in a session before it is disabled. */
	backtrackingMs: 500,
	/** The length of a condition: longer ones are not written by hand. */
	conditionChars: 2000,
	/** Steps of a compiled condition; `(\w{1,500}){1,500}` would have millions. */
	programSteps: 2000,
	/** Cached states of one compiled condition, a few kilobytes each; beyond this the cache is cleared. */
	programPlaces: 500,
	/** The number of words that represent a condition with alternatives; with more, it is always evaluated. */
	wordsOfCondition: 16,
	/** A shorter word occurs everywhere and saves nothing; the prefix of a longer one is as rare as the whole. */
	wordChars: 2,
	longestWord: 32,
	/** Characters that decide whether a word may start at a position: six character sets rarely match by chance. */
	wordBeginning: 6,
	/** The size of a streamed file up to which it is parsed: parsing a longer one takes longer than writing it. */
	structureChars: 256 * 1024,
	/** Streamed text is parsed again when it has grown by this share, so that all parsing together stays linear. */
	structureGrowth: 1.5,
	structureFirstChars: 400,
	/** The length of a path in the arguments of a call; a longer text is not a path. */
	pathChars: 4096,
	/** The nesting depth of the arguments of a call. */
	argumentDepth: 64,
} as const;
