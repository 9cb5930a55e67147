/** The bounds of mu, each with its reason. */
export const limits = {
	/** Between two frames of a line that pulses: twenty a second look smooth. */
	frameMs: 50,
	/** Without colors for the pulse, only the time advances. */
	stillFrameMs: 1000,
	/** From dim to bright and back: slower looks asleep, faster looks alarmed. */
	pulseMs: 1200,
	/** A call that took less shows no duration: it says nothing. */
	shownDurationMs: 1000,
	/** Narrower than this, the call needs the space of its time. */
	leastTimeWidth: 20,
	/** Lines of a running command: enough to see its progress. */
	liveLines: 5,
	/** Lines of a failed result: the reason is at the end. */
	failedLines: 8,
	/** Rows of a diff, and lines of a new file: what was done to files is always shown. */
	diffRows: 24,
	writtenLines: 8,
	/** The only line of a result is shown beside its call up to this long. */
	outcomeChars: 48,
	/** What a user answered, in one row. */
	answerChars: 200,
	/** What a summary says of a result's arguments, and of one of them. */
	summaryChars: 200,
	valueChars: 60,
	/** One line up to this length stays unchanged: a summary would not be shorter. */
	shortResultChars: 200,
	/** Results that are cached completely; older ones are looked up in the session. */
	hotResults: 200,
	/** Results in the viewer. */
	viewedResults: 200,
	/** Entries that are looked through for them: the rest of a long session is a walk for nothing. */
	searchedEntries: 5000,
	/** Lines of one result in the viewer; more is for a pager. */
	viewedLines: 20_000,
	/** Characters of one: a line may be as long as a file, and each is laid out before the first is seen. */
	viewedChars: 2 * 1024 * 1024,
	/** Characters that are colored; more would keep the keys waiting. */
	coloredChars: 100_000,
	/** Lines of the arguments in the viewer. */
	argumentLines: 40,
	/** Characters of one argument: more than these lines hold. */
	argumentChars: 20_000,
} as const;
