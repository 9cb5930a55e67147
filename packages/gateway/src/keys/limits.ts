/** The bounds of keys and their accounts, each with its reason. */
export const limits = {
	/** A name is shown in a table. */
	nameChars: 80,
	/** Patterns of one key; more is a mistake. */
	patterns: 64,
	/** Keys of one gateway: each is read for the list, and none is ever deleted. */
	keys: 10_000,
	/** The account of a month is kept for a year and a bit, that of a day for as long as a month, that of a minute for two. */
	monthSeconds: 400 * 86_400,
	daySeconds: 62 * 86_400,
	minuteSeconds: 120,
	/** What running requests may use is kept by the span in which they began: what a killed node holds is free after two. */
	heldMs: 600_000,
	/** When a limit is only held by requests that run: they may end soon, and use less. */
	heldRetryMs: 1_000,
	/** Requests with the gateway's own token have no limits: they are written together, and so is what a ledger missed. */
	waitingMs: 1_000,
	/** Redis answers in less than a millisecond; a request does not wait longer than this for its limits. */
	redisMs: 2_000,
} as const;
