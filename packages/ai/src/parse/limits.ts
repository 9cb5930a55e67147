/** The bounds of the streaming parsers; crossing one is an error value that names it. */
export const limits = {
	/** Open objects and arrays at once; far above any tool's schema, far below what recursion downstream survives. */
	jsonDepth: 512,
	/** A growing text joins its pieces when they have this many characters: a few KB of overhead, one in a thousand kept. */
	openTextChars: 1024,
	/** An open number is shown by at most this many of its characters, or each further digit would cost all before it. */
	openNumberChars: 32,
	/** Characters (UTF-16 units) that one server-sent event may hold before its blank line: 64 MiB of ASCII. */
	sseEventChars: 64 * 1024 * 1024,
	/** One message of Amazon's event stream: 16 MB of payload by its rules, with room for what the services grow to. */
	awsMessageBytes: 24 * 1024 * 1024,
	/** The headers of one such message, by its rules. */
	awsHeaderBytes: 128 * 1024,
	/** A `retry:` above this is taken as this: the longest delay a timer takes without wrapping to none. */
	sseRetryMs: 2 ** 31 - 1,
} as const;
