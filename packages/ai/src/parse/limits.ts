/** The bounds of the streaming parsers; exceeding one is an error value that names it. */
export const limits = {
	/** Nesting of objects and arrays; far above any tool's schema, far below what later recursion survives. */
	jsonDepth: 512,
	/** A growing text joins its pieces at this many characters: a few KB of overhead, one in a thousand kept. */
	openTextChars: 1024,
	/**
	 * An open number is shown by at most this many of its characters, or each further digit would cost all before it.
	 */
	openNumberChars: 32,
	/** Characters (UTF-16 units) of one server-sent event before its blank line: 64 MiB of ASCII. */
	sseEventChars: 64 * 1024 * 1024,
	/** Text beside the events of a stream: enough for a proxy's error message, or for one line of JSON. */
	strayChars: 4096,
	/** A shorter line may be the beginning of a field, cut off with its connection. */
	fieldNameChars: 6,
	/** One message of Amazon's event stream: 16 MB of payload by its rules, with room for growth. */
	awsMessageBytes: 24 * 1024 * 1024,
	/** The headers of one such message, by its rules. */
	awsHeaderBytes: 128 * 1024,
	/** A larger `retry:` is reduced to this: the longest delay that a timer accepts without overflowing to none. */
	sseRetryMs: 2 ** 31 - 1,
} as const;
