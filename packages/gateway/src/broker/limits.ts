/** The bounds of the broker, each with its reason. */
export const limits = {
	/** A token is renewed this long before it ends: clients get it before their own minute begins. */
	renewEarlyMs: 5 * 60_000,
	sweepMs: 60_000,
	/** A token that was renewed so recently is not renewed for a client that does not say which one it has. */
	settledMs: 30_000,
	/** How often the file is looked at for changes of other processes, while a client waits for them. */
	pollMs: 1_000,
	/** The longest wait for a change. */
	waitMs: 30_000,
	/** Proxies close connections that are silent for a minute. */
	keepAliveMs: 20_000,
	/** Seconds, as Bun counts them: longer than any wait here. */
	idleSeconds: 255,
	/** A credential has a few kilobytes. */
	bodyBytes: 256 * 1024,
	/** Streams and waits at the same time: a client has one. */
	listeners: 1_000,
	/** Of what a client gives as the reason of a refusal. */
	causeChars: 300,
	/** Longer than any wait of a provider; past it, a client's clock is wrong. */
	blockMs: 24 * 60 * 60_000,
	/** Vendors count requests for usage by address: five minutes, a quarter more or less. */
	usageMs: 5 * 60_000,
	usageJitter: 0.25,
	/** After a failure the vendor is left alone for this long. */
	usageRetryMs: 60_000,
	/** The last good figures are shown for a day. */
	usageGoodMs: 24 * 60 * 60_000,
	historyMs: 90 * 24 * 60 * 60_000,
	/** Of one answer. */
	historyRows: 10_000,
	/** Entries of one report of a client. */
	observed: 1_000,
	/** Names of clients, models and the like. */
	nameChars: 200,
	/** Renewals that run when the broker is stopped: their tokens have to be stored. */
	stopMs: 35_000,
	/** How often a broker that is stopped looks whether all answers are sent. */
	stopPollMs: 5,
} as const;
