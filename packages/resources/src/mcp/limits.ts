/** The bounds of MCP servers. */
export const limits = {
	/** How long servers give way to the first request of a session. */
	startDelayMs: 40,
	/** The same while a prompt is prepared: hooks of others may take long, and servers should not wait for them. */
	heldStartMs: 1_000,
	/** How long a server may take to start: `npx` may download it first. */
	startMs: 30_000,
	/** How long a call may take, however often it reports progress. */
	callMaxMs: 3_600_000,
	/** How often the status of a task is asked for, unless the server says how often. */
	taskPollMs: 1_000,
	taskPollLeastMs: 200,
	taskPollMostMs: 30_000,
	/** Values that one definition may leave to the user. */
	inputs: 20,
	/** Pages that a server may send the user to before a call. */
	pageVisits: 3,
	/** How long `server/discover` may stay unanswered before a server on a pipe is taken for an older one. */
	probeMs: 5_000,
	/** How long a search waits for servers that are starting; the prompt never waits. */
	searchWaitMs: 20_000,
	/** How long it waits for more servers when it has found something. */
	searchGraceMs: 2_000,
	/** How long the first prompt waits for servers with `alwaysLoad`. */
	alwaysLoadWaitMs: 10_000,
	/** The longest message of a server; a longer one fails its call only. */
	messageBytes: 16 * 1024 * 1024,
	/** Of a message that is too long, what is kept of its beginning and end to find out which call it answers. */
	messageEndBytes: 1_024,
	/** A line of which nobody knows what it answers ends the connection when it is longer: its call would wait for it. */
	lineBytes: 64 * 1024 * 1024,
	/** The same for one whose call has failed already: the next answer would wait for its end. */
	answeredLineBytes: 512 * 1024 * 1024,
	/** Lines on standard output that are no messages, before the server is given up. */
	garbageLines: 1_000,
	/** A server may write this much before it has to wait: 20 MB a second, a fraction of what JSON costs to parse. */
	burstBytes: 1024 * 1024,
	/** The same for its log, which nobody waits for. */
	burstLogBytes: 64 * 1024,
	/** The same for messages that nobody asked for. */
	burstMessages: 200,
	burstPauseMs: 50,
	/** A log that grows is shown at most this often. */
	logShownMs: 200,
	logLines: 200,
	logLineChars: 500,
	/** Servers of one session. */
	servers: 100,
	/** Tools of one server. */
	tools: 10_000,
	toolPages: 200,
	/** Names of tools that stay with their tools, also while their servers are gone. */
	toolNames: 50_000,
	/** A description is text of others in the context of the model. */
	descriptionChars: 2_048,
	/** Characters of the schema of a tool; a longer one is replaced by an open one. */
	schemaChars: 64 * 1024,
	/** What providers accept as the name of a tool. */
	toolNameChars: 64,
	serverNameChars: 100,
	/** A server that could not be started is tried again by a search after this time. */
	failedAgainMs: 15_000,
	/** The first wait before a server that died is started again; it doubles up to the most. */
	restartMs: 1_000,
	restartMostMs: 60_000,
	/** A server that dies so often in a row is left alone. */
	restarts: 5,
	/** A server that ran so long before it died starts from the first wait again. */
	steadyMs: 60_000,
	/** Text, images and files of one result. */
	resultBlocks: 500,
	resultImages: 10,
	/** How long a `!command` may take that prints a secret. */
	secretMs: 10_000,
	secretBytes: 64 * 1024,
	/** How long a login in the browser may take. */
	loginMs: 300_000,
	/** Resources and prompts of one server that are listed. */
	resources: 2_000,
	prompts: 500,
	/** How long a list of resources may take. */
	listMs: 15_000,
	/** How long a ping may take before a connection counts as dead. */
	pingMs: 10_000,
	/** Remembered fingerprints of tools that the user has let run. */
	fingerprints: 20_000,
	/** The answer that a server may ask the model for. */
	sampledTokens: 4_096,
	/** Requests to the model that a server may make during one call. */
	samplesPerCall: 10,
} as const;
