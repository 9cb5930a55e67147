/** The bounds of a session, each with its reason. */
export const limits = {
	/** Three tries over half a minute outlive most hiccups; more would hide an outage. */
	retries: 3,
	retryBaseMs: 2000,
	/** Longer than a minute, and the person should decide. */
	retryMaxMs: 60_000,
	/** Identical calls that failed in a row: the model is going round in circles. */
	identicalFailures: 5,
} as const;
