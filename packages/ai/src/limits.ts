/** The bounds of the package, each with its reason. */
export const limits = {
	/** Unmergeable events that may wait for a reader before the producer has to wait too. */
	unreadEvents: 10_000,
	/** Reasoning models think for minutes before their first event; longer than this is a dead connection. */
	firstEventTimeoutMs: 300_000,
	/** Providers send pings or tokens every few seconds; two minutes of silence is a dead connection. */
	idleTimeoutMs: 120_000,
	/** An error body is shown to a person: what is past this adds nothing. */
	errorBodyBytes: 64 * 1024,
	/** One line on a terminal. */
	errorMessageChars: 600,
	/** A `retry-after` beyond a day is a mistake or an outage; nobody waits for it. */
	retryAfterMs: 24 * 60 * 60 * 1000,
} as const;
