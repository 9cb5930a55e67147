/** The bounds of what is borrowed from a broker, each with its reason. */
export const brokerLimits = {
	/** How long a snapshot may be used without word from the broker, by default. */
	snapshotTtlMs: 60 * 60_000,
	/** How long a start waits for a broker when there is a snapshot to start with. */
	revalidateMs: 500,
	/** How long it waits when there is none: a broker behind a slow line answers within seconds, or is away. */
	fetchMs: 10_000,
	/** A renewal at the broker includes one request to an OAuth server, with a limit of 30 seconds of its own. */
	refreshMs: 60_000,
	/** The report that a credential has to rest is a courtesy to other clients. */
	reportMs: 5_000,
	/** While requests are made, the broker is asked this often what has changed. */
	recheckMs: 15_000,
	/** Several commands in a row show the same figures. */
	usageMs: 15_000,
	/** A snapshot has a few kilobytes per credential; more than this is no snapshot. */
	answerBytes: 8 * 1024 * 1024,
	/** A token as it is pasted or generated. */
	tokenBytes: 4096,
	/** Sessions that this process remembers the credential of; the oldest are forgotten first. */
	bindings: 1000,
} as const;
