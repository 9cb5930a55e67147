/** The bounds of stream rules, each with its reason. */
export const limits = {
	/** How far back a condition may look from where its words were seen: some forty lines. */
	windowChars: 2048,
	/** For conditions that only the engine's own backtracking can judge: its worst case takes some milliseconds. */
	backtrackingWindows: [2048, 2048, 400, 128],
	/** Those are judged at the end of a line, because they look ahead; within it only when it is longer than this. */
	backtrackingStep: 512,
	/** A repetition that may be longer counts as one without an end. */
	openRepeat: 64,
	/** Ways through alternatives and short repetitions, at each of some thousand places: a second in the worst case. */
	backtrackingWays: 20_000,
	/** What one of them may take in a session before it is left out. */
	backtrackingMs: 500,
	/** The length of a condition: longer ones are not written by hand. */
	conditionChars: 2000,
	/** Steps of a compiled condition; `(\w{1,500}){1,500}` would have millions. */
	programSteps: 2000,
	/** Of one compiled condition that are remembered, some kilobytes each; beyond, it begins anew. */
	programPlaces: 500,
	/** The number of words that represent a condition with alternatives; with more, it is always evaluated. */
	wordsOfCondition: 16,
	/** A shorter word occurs everywhere and saves nothing; of a longer one, its beginning is as rare as the whole. */
	wordChars: 2,
	longestWord: 32,
	/** Characters by which a place is judged where a word may begin: six sets of letters hardly ever fit by chance. */
	wordBeginning: 6,
	/** Of a file that is being written: parsing a longer one takes longer than writing it. */
	structureChars: 256 * 1024,
	/** Written text is parsed again when it has grown by this part, so that all parsing together stays linear. */
	structureGrowth: 1.5,
	structureFirstChars: 400,
	/** Of a path in the arguments of a call; more is no path. */
	pathChars: 4096,
	/** Objects within objects in the arguments of a call. */
	argumentDepth: 64,
} as const;
