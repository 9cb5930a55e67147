/** The bounds of the settings, each with its reason. */
export const limits = {
	/** Configuration is written by hand; a larger file was chosen by mistake. */
	configFileBytes: 1024 * 1024,
	/** Fixed, so that a bookmark, an installed page and its storage stay valid. */
	webPort: 7478,
	/** The default timeout of a command in seconds, if the model sets none. */
	bashTimeoutSeconds: 300,
	bashTimeoutMaxSeconds: 3600,
	/** The total time limit for fetching a page. */
	fetchTimeoutSeconds: 30,
	fetchTimeoutMaxSeconds: 300,
	/** The size limit of a page, decompressed. */
	fetchMegabytes: 10,
	fetchMegabytesMax: 100,
	/** How long `ask` waits for an answer; 0 waits without a limit. */
	askTimeoutSeconds: 0,
	askTimeoutMaxSeconds: 24 * 60 * 60,
	/** Turns before a stream rule may trigger again. */
	ruleRepeatGap: 10_000,
	/** Three tries over half a minute outlive most hiccups; more would hide an outage. */
	defaultRetries: 3,
	retryBaseMs: 2000,
	/** The longest wait between retries: beyond a minute, the user should decide. */
	retryMaxMs: 60_000,
	/** Retries after an unusable answer, such as an invalid tool call or nothing at all, and their delay. */
	invalidResponseRetries: 2,
	invalidResponseMs: 500,
	/** A program with more retries than this overloads a server. */
	retries: 100,
	/** A model that has not continued after so many reminders will not. */
	reminders: 20,
	/** Answers in a row that only extensions ask for: a handler that always asks for one more would never end. */
	extensionTurns: 25,
	/** What a rewind may store for a session: contents of source files, compressed, take a fraction of this. */
	rewindBytes: 1024 * 1024 * 1024,
	rewindMostBytes: 1024 ** 4,
	/** The longest wait: more than a day is not useful. */
	delayMs: 24 * 60 * 60 * 1000,
	/** The largest budgets: a larger one is a typing error. */
	cost: 1_000_000,
	turns: 1_000_000,
	tokens: 1_000_000_000_000,
	/** Three weeks: the longest delay that a timer accepts. */
	seconds: 21 * 24 * 60 * 60,
	/** What memory reads: more than ten years is a typing error, and so are more sessions or tokens. */
	days: 3_650,
	rollouts: 10_000,
	digestTokens: 20_000,
	extractionTokens: 1_000_000,
	/** The length of an invalid value in a message, enough to recognize it. */
	shownChars: 40,
	/** The number of problems reported per file; a file with more is not a settings file. */
	problems: 50,
	/** How long a writer waits for another writer, which needs milliseconds. */
	lockWaitMs: 5_000,
	/** How often a write is restarted because the file was changed in the meantime. */
	writeAttempts: 20,
	/** The length of a chain of links: as many as Linux follows. */
	linkSteps: 40,
} as const;
