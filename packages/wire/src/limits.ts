/** The bounds of a connection to a session elsewhere, each with its reason. */
export const connectionLimits = {
	/** The waits between two attempts to come back: the first is short, because a server may only have been busy. */
	reconnectMs: [50, 100, 250, 500, 1000],
	reconnectMostMs: 2000,
	/** In the first minute no wait is longer, whatever the client says: what was only restarted is found again at once. */
	hurriedMs: 5000,
	hurriedAttempts: 16,
	/** How long a client tries to come back to a session that runs and does not answer, unless it says otherwise. */
	lostMs: 30_000,
	/** The same for a session that continues in another process, which has to start first. */
	comesBackMs: 60_000,
	/** How long a WebSocket may take until the host has accepted the client: it may have to start the session first. */
	openMs: 60_000,
	/** A WebSocket on which nothing has come for so long is asked whether it lives: browsers do not notice a cut network. */
	silentMs: 20_000,
	/** How long the answer to that may take. */
	probeMs: 5000,
} as const;
