/** Bounds of the fleet. */
export const limits = {
	/** A worker that was not heard of for this long has lost its tasks: three missed heartbeats. */
	leaseMs: 30_000,
	/** A store that cannot say when it changes is looked at this often; watching is the rule. */
	pollMs: 1000,
	/** A worker with a free slot looks for tasks no more often than this. */
	calmMs: 20,
	/** A store that was away is asked again after this. */
	againMs: 200,
	/** A Redis that was away for so long that its client has given up is connected to again after this. */
	reconnectMs: 1000,
	/** How often what a task does is written down for `tau task list`. */
	reportMs: 500,
	/**
	 * A task whose workers were lost this often takes them along: it fails. A task that was given back is the next to
	 * start, so workers that die while others start lose the same one again: 40 kills among 200 tasks hit one 5 times.
	 */
	losses: 10,
	/** The first wait before a failed task is tried again; it doubles, up to the last. */
	retryMs: 5000,
	retryMostMs: 600_000,
	/** What tasks may take to end after SIGTERM; then they continue on another worker. Kubernetes kills after 30 s. */
	drainMs: 20_000,
	/** A worker of the daemon ends when it had nothing to do for this long. */
	idleMs: 60_000,
	/** How long sessions of a worker have to end before they are killed. */
	endMs: 5000,
	/** A changed tree larger than this is not stored: the task starts anew if its worker is lost. */
	patchBytes: 32 * 1024 * 1024,
	/** The recording of a task's session, which is compressed. */
	cassetteBytes: 16 * 1024 * 1024,
	/** What `fleet.perMinute` counts in. */
	rateMs: 60_000,
	/** A line of a session log; images are the largest. */
	lineBytes: 16 * 1024 * 1024,
	gitMs: 300_000,
	gitOutputBytes: 1024 * 1024,
	/** Clones that a worker keeps, so that the next task of a repository starts at once. */
	repositories: 20,
	/** Of such a clone, before it is packed: git's own limits. */
	packs: 50,
	looseObjects: 6700,
	slots: 64,
	/** Of a task or a worker. Each set of labels has a queue. */
	labels: 16,
	/** What a task may take at most with the key of a gateway, which ends by itself if the worker is lost. */
	keyHours: 24,
	gatewayMs: 15_000,
	/** How often a dispatcher looks at delayed tasks, and at a Job that runs. */
	dispatchMs: 2000,
	/** The least wait between two looks of a dispatcher, which reads the whole list: what it starts takes seconds anyway. */
	dispatchCalmMs: 250,
	kubernetesPollMs: 2000,
	/** How often an API server that does not answer is asked; an upgrade of one takes some seconds. */
	kubernetesAttempts: 10,
	/** Of one `tau task add`: a matrix of more is a mistake. */
	bulk: 10_000,
	promptChars: 1024 * 1024,
	summaryChars: 64 * 1024,
	shownChars: 80,
	busyMs: 10_000,
	/** How long a Redis may take to answer whoever opens the store: one that hangs neither answers nor refuses. */
	openMs: 15_000,
	/** Tasks that have ended are forgotten after this. */
	keptMs: 30 * 86_400_000,
} as const;
