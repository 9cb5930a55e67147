/** The bounds of Tau as an MCP server, each with its reason. */
const minute = 60_000;

export const limits = {
	/** Calls that run or wait at once; a client that starts more has lost track of them. */
	calls: 64,
	/** How long a call waits for the answer of the client's user before it counts as a no. */
	answerMs: 10 * minute,
	/** Questions of one call: a long session may ask often, and one that never stops asking is a loop. */
	questions: 1000,
	/** Progress notifications of a call are at least this far apart: a command may print thousands of lines. */
	progressMs: 100,
	/** The part of a line that a progress notification has. */
	progressChars: 200,
	/** One message of a client; the content of a large file fits. */
	messageBytes: 16 * 1024 * 1024,
	/** Connections of clients that speak a revision with sessions. */
	httpSessions: 64,
	/** A session without a request for so long is ended: clients rarely say goodbye. */
	httpIdleMs: 60 * minute,
	/** How often idle sessions are looked for. */
	httpSweepMs: minute,
} as const;
