/** The bounds of sessions that are served on this machine, each with its reason. */
const KiB = 1024;
const MiB = 1024 * KiB;

export const limits = {
	/** The first line of a peer, before Tau knows who it is. */
	helloBytes: 16 * KiB,
	/** How long a peer may take to say who it is: programs of this machine say it at once. */
	helloMs: 3000,
	/** One command, as in RPC mode: a prompt with a dozen large images fits. */
	commandBytes: 64 * MiB,
	/** One line that a server sends: frames are smaller, an answer such as `get_messages` may be large. */
	lineBytes: 512 * MiB,
	/** Commands of one client that are being worked on; more are refused. */
	openCommands: 64,
	/** Peers of one socket at a time, those that have not said who they are included. */
	peers: 64,
	/** A client that has read nothing for so long is dropped; it may come back where it stopped reading. */
	unreadMs: 60_000,
	/** What is kept of the answers to a client, for commands that it sends again after a reconnect. */
	answersKept: 256,
	answerBytes: 64 * KiB,
	/** The clients whose answers are kept. */
	clientsKept: 32,
	/** How long `tau ps` and `tau attach` wait for what a session says about itself. */
	statusMs: 1500,
	/** How long a client waits for the connection and for the other end to accept it. */
	connectMs: 5000,
	/** How long the daemon may take to start, and a session in it, on a busy machine and with extensions. */
	daemonStartMs: 20_000,
	sessionStartMs: 60_000,
	/** The daemon ends after so long without a session. */
	daemonIdleMs: 60_000,
	/** A worker of the fleet that was killed is started again after this, and so often: then something is wrong with it. */
	workerRestartMs: 500,
	workerRestarts: 10,
	/** What a worker may take to end: its tasks have 20 s, and then go to another worker. */
	workerEndMs: 30_000,
	/**
	 * A detached session without clients and work is closed after so long; `tau attach` opens it again. Its process takes
	 * 21 MB that no other process shares, so it is short: enough for whoever joins right after the answer.
	 */
	parkMs: 5000,
	/** The same after a client was there: a connection that was lost is made again, and what it had open is there. */
	parkLeftMs: 30_000,
	/** The same for one whose tools hold what its log does not have, such as the variables of an interpreter. */
	parkHoldingMs: 30 * 60_000,
	/** How long a detached session that nobody comes back to is listed; its file stays. */
	detachedDays: 30,
	/** How long a session may take to end before its process is killed. */
	endMs: 10_000,
	/** How often it is looked whether a process has ended that is nobody's child. */
	endPollMs: 20,
	/** The log of the daemon; a longer one is put aside. */
	daemonLogBytes: MiB,
	/** What a registration file may have; more was not written by Tau. */
	registrationBytes: 64 * KiB,
	/** Schedules of one user: more are a mistake of a script. */
	schedules: 200,
	/** Their file, with prompts of a few pages each. */
	schedulesBytes: 16 * MiB,
	/** The runs of a schedule that are listed; the sessions stay. */
	scheduleRuns: 20,
	/** Sessions that schedules have started and that work at the same time: each is a process and a bill. */
	scheduledAtOnce: 3,
	/** How long the daemon waits at most before it looks at the clock again: the machine may have slept. */
	scheduleLookMs: 30_000,
	/** And at least, while something that is due waits for its turn. */
	scheduleLeastMs: 1000,
	/** Why a run failed, in the list of runs. */
	endReasonChars: 300,
	/** The part of an id that is shown: it names a session among thousands. */
	shownIdChars: 18,
	/** A title in the list of sessions. */
	titleChars: 60,
} as const;
