/** The bounds of memory, each with its reason. */
export const limits = {
	/** A fact is one statement; longer ones are several. */
	factChars: 400,
	subjectChars: 80,
	/** The words that prove a fact; enough to recognize them in the conversation. */
	quoteChars: 300,
	/** Shorter quotes occur everywhere and prove nothing. */
	quoteLeastChars: 8,
	/** The name of a session beside a fact: enough to recognize it. */
	nameChars: 40,
	synopsisChars: 600,
	/** Facts that one session may add: more would be a transcript. */
	factsPerSession: 24,
	/** Facts of one project; beyond that the oldest that no longer count are removed, with an entry in the undo log. */
	facts: 5_000,
	/** Changes that can be undone; the oldest are dropped. */
	changes: 200,
	/** What the undo log may take up, in characters of its rows. */
	changeChars: 4_000_000,
	tombstones: 10_000,
	skills: 24,
	skillChars: 8_000,
	/** How long a writer waits for another process. */
	busyMs: 5_000,
	/** Candidates that a search ranks: recall grows little beyond, and time grows. */
	candidates: 160,
	/** Facts with one word: those of a word that is everywhere say little, and the newest are looked at. */
	postings: 400,
	/** Words of a prompt that are searched for; a longer prompt is cut. */
	terms: 48,
	/** The prompt text that is looked at for words. */
	queryChars: 4_000,
	/** The best hits, whose neighbors are looked at: those of the others are never among the first. */
	spreading: 12,
	/** Facts on both sides of a hit that are looked at. */
	neighbors: 5,
	/** Matches that a prompt may bring in. */
	matches: 12,
	/** Words of a later prompt that a fact must have: one alone is chance. */
	laterWords: 2,
	/** Facts that a digest may begin with, of each scope: more do not fit. */
	standing: 60,
	/** What the model may write about one session and in a consolidation. */
	extractionTokens: 4_000,
	consolidationTokens: 8_000,
	/** One message of a conversation, in the request that extracts. */
	messageChars: 4_000,
	/** How long a model may take for one request. */
	answerMs: 180_000,
	/** A larger file is not read for memory: the machine has other things to do. */
	sessionBytes: 256 * 1024 * 1024,
	/** What tools returned, as far as it is compared with what the model repeats. */
	outputChars: 8_000_000,
	/** A statement of fewer words is found anywhere by chance. */
	echoWords: 3,
	/** Waits after failures: doubled each time. */
	retryMs: 60_000,
	retryMostMs: 24 * 60 * 60_000,
	/** A session that failed as often is left alone until it changes. */
	attempts: 5,
	/** Sessions that fail one after the other: then it is the server, and not they. */
	failuresInRow: 3,
	/** How long after the start of a session the background work begins: the user's first prompt comes first. */
	startMs: 1_500,
	/** Rows of a list on the screen. */
	listed: 200,
	/** A hand-edited list that is longer was not written by a user. */
	editedChars: 2_000_000,
} as const;

export const dayMs = 24 * 60 * 60_000;
