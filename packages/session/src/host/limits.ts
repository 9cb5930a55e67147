/** The bounds of a session's host, each with its reason. */
export const limits = {
	/** Restored files that the model is told by name. */
	restoredNames: 50,
	/** The longest path that Linux accepts has 4,096 bytes; a model needs less. */
	restoredNameChars: 500,
	/** The user's own commands that run at once; a client that starts more has lost track of them. */
	userCommands: 16,
	/** Runs in a row that ends of background jobs start; then the model waits for a prompt. */
	wakeUps: 25,
	/** Questions to the user that are open at once; an extension that opens more has lost its way. */
	pendingRequests: 64,
	/** How deep children may have children; deeper is a loop. */
	childDepth: 8,
	/** Concurrent children of one session. */
	children: 32,
} as const;
