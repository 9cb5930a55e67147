/** The bounds of the package, each with its reason. */
export const limits = {
	/** Text, thinking and arguments of one answer; the longest that models give today are some 500,000. */
	answerChars: 32 * 1024 * 1024,
	/** Reasoning models think for minutes without showing it; a longer wait means a dead connection. */
	firstEventTimeoutMs: 300_000,
	/** Once a model writes, tokens come every few seconds; two minutes without any mean a dead connection. */
	idleTimeoutMs: 120_000,
	/** OpenAI accepts 40 characters of a call's id; the rest is for the number that makes it unique. */
	callIdChars: 32,
	/** OpenAI accepts 64 characters of a tool's name, the others more. */
	toolNameChars: 64,
	/** The end of a body follows its last event at once; waiting for it keeps the connection for the next request. */
	lingerMs: 1_000,
	/** Text of one message or tool that is kept for the next request; a longer one, such as an image, is quickly copied. */
	keptTextChars: 64 * 1024,
	/** Text of a conversation that is kept for the next request. */
	keptListChars: 4 * 1024 * 1024,
	/** The longest delay that a timer accepts without overflowing to none. */
	timerMs: 2 ** 31 - 1,
	/** Bytes of an answer that are handled in one turn of the event loop: about 130 events, which take 3 ms with a screen. */
	turnBytes: 16 * 1024,
	/** How long the pieces of an answer are gathered: as long as the shortest interval between two frames. */
	gatherMs: 50,
	/** Not from its beginning: the first words, a short answer and a tool call are what the user waits for. */
	gatherAfterMs: 500,
	/** A larger chunk is a part of a burst, which gathers by itself; fast models write 40 bytes a millisecond. */
	gatheredBytes: 4 * 1024,
	/** A server that does not answer a handshake in this time gets the request over HTTP. */
	socketOpenMs: 10_000,
	/** A websocket that is not used for this long is closed; the next request opens another. */
	socketIdleMs: 5 * 60_000,
	/** OpenAI ends a websocket after an hour; one that is about to end is not used for another request. */
	socketAgeMs: 55 * 60_000,
	/** A websocket that rested for longer, by the clock on the wall, is asked for a sign of life before it is used. */
	socketRestMs: 30_000,
	/** How long that may take; another websocket is open in less. */
	socketProbeMs: 2_000,
	/** Messages of an answer that arrived and were not read yet; a whole answer is smaller. */
	unreadBytes: 64 * 1024 * 1024,
	/** An error body is shown to the user: more than this adds nothing. */
	errorBodyBytes: 64 * 1024,
	/** The beginning of a body, which shows whether it is a document. */
	sniffedBytes: 64,
	/** How deeply gateways wrap each other's errors; deeper nesting is an attack. */
	errorDepth: 8,
	/** One line on a terminal. */
	errorMessageChars: 600,
	/** How long a gateway goes by the variables of proxies and timeouts before it reads them again. */
	wayMs: 1_000,
	/** Servers whose way is remembered; a gateway has one for each provider and region. */
	ways: 64,
	/** Bytes of an answer that pass before they are read for their counts: reading them takes a millisecond. */
	probeBytes: 64 * 1024,
	/** Pieces of it: each takes some hundred bytes beside its own. */
	probePieces: 1024,
	/** A `retry-after` beyond a day is a mistake or an outage; it is not waited for. */
	retryAfterMs: 24 * 60 * 60 * 1000,
} as const;
