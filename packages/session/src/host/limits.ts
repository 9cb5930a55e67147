/** The bounds of a session's host, each with its reason. */
export const limits = {
	/** Events that a client in this process has not dealt with yet; then the run waits for it. */
	unreadEvents: 64,
	/** Entries whose usage is counted at once; that of more is counted a moment later. */
	countAtOnce: 2000,
	countAfterMs: 200,
	/** Clients of one session: 64 guests of a room, and as many terminals and pages. */
	clients: 128,
	/** A note for people on an entry. */
	commentChars: 4000,
	/** What is handed to a transport at once. */
	writeBytes: 64 * 1024,
	/** Prompts that wait while a handoff is written: a user types a few. */
	heldPrompts: 100,
	/** Restored files that the note for the model names. */
	restoredNames: 50,
	/** The longest path that Linux accepts has 4,096 bytes; a model needs less. */
	restoredNameChars: 500,
	/** The user's own commands that run at once; a client that starts more has lost track of them. */
	userCommands: 16,
	/** What opening a child takes of a turn of the event loop. */
	openMs: 3,
	/** Runs in a row that ends of background jobs start; then the model waits for a prompt. */
	wakeUps: 25,
	/** Questions to the user that are open at once; an extension that opens more has lost its way. */
	pendingRequests: 64,
	/** How deep children may have children; deeper is a loop. */
	childDepth: 8,
	/** How often hooks may make an agent continue instead of stopping. */
	hookContinuations: 20,
	/** Concurrent children of one session. */
	children: 32,
	/** Agents that are remembered after their end, with what they did; their files stay. */
	agentRecords: 500,
	/** Logs of agents of earlier processes that a list reads; of older ones it has the names. */
	readAgentLogs: 100,
	/** The end of an agent's log, with why it failed. */
	agentEndBytes: 64 * 1024,
	/** Of what an agent does, or is to do, in one line. */
	actionChars: 200,
	/** A name is part of that of a file, with those of the agents above it. */
	agentNameChars: 40,
	/** How often the progress of an agent is shown. */
	progressMs: 150,
	/** Messages between agents that the hub can show, the newest. */
	agentMessages: 200,
	/** What one agent may send in its life: two that answer each other would never end. */
	agentSends: 50,
	agentMessageChars: 4000,
	/** Channels that an agent may join. */
	agentChannels: 16,
} as const;
