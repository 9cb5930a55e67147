/** The bounds of work on other machines, each with its reason. */
const MB = 1024 * 1024;

export const limits = {
	/** A connection with a password, a hardware key or a jump host may need the user. */
	connectMs: 120_000,
	/** How long TCP may take to connect: `ConnectTimeout` of OpenSSH, in seconds. */
	connectSeconds: 20,
	/** The master notices a dead link after `aliveSeconds` times `aliveCount`. */
	aliveSeconds: 15,
	aliveCount: 3,
	/** Work on files that takes longer has lost its connection or its disk. */
	requestMs: 60_000,
	/** Connections of one machine that work at the same time; sshd allows ten sessions by default. */
	channels: 4,
	/** How long a request may take to end after its processes were killed. */
	abortMs: 5_000,
	/** How long a running command is kept on the other machine after the connection was lost, in seconds. */
	keptSeconds: 600,
	/** How long the user's profile there may take; then a shell starts without it. */
	profileMs: 20_000,
	/** Between two attempts to connect again: the first and the longest. */
	retryMs: 500,
	mostRetryMs: 15_000,
	/** Attempts of one request to connect again, with 15 s between the first and the last. */
	reconnects: 6,
	/** The output of one command that is spooled on the other machine; what follows is only streamed. */
	spoolBytes: 512 * MB,
	/** A larger file is not loaded for a change. */
	fileBytes: 64 * MB,
	/** What `open` reads ahead: most files fit, and need one round trip. */
	aheadBytes: 256 * 1024,
	/** What a request without a reader may return: a listing of 400,000 paths. */
	responseBytes: 80 * MB,
	/** Paths below a directory that are listed. */
	listed: 200_000,
	/** How long a listing answers further letters of a completion. */
	listingMs: 3_000,
	/** How often a command that is followed after a reconnect is checked to be alive. */
	aliveCheckMs: 2_000,
	/** Files with states of shells that a new shell may start from: the newest that is complete counts. */
	states: 4,
	/** Files that a search without ripgrep on the other machine brings here, and their bytes. */
	candidates: 500,
	candidateBytes: 32 * MB,
	/** Hosts of ssh.json and of OpenSSH's configuration. */
	hosts: 1_000,
	/** An `Include` inside an included file; OpenSSH allows 16. */
	includeDepth: 8,
	configBytes: MB,
	/** Characters of ssh's own message. */
	messageChars: 2_000,
	/** Of the question that ssh asks: a host key with its fingerprint has 300. */
	promptChars: 2_000,
	/** How often, and after how long, an answer is offered to the helper of ssh, which opens its pipe after it has asked. */
	answerAttempts: 200,
	answerWaitMs: 10,
	/** How long a lock of another Tau is waited for, in steps of 20 ms. */
	lockSteps: 250,
	/** How often perl is started for one channel: it ends with a request that is aborted, or by itself if it is broken. */
	helpers: 20,
	/** Measurements of the latency that the shown median is made of. */
	latencies: 16,
} as const;
