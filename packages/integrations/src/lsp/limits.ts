/** The bounds of work with language servers, each with its reason. */
export const limits = {
	/** Servers that run at once in a session; a larger project rarely mixes more languages in one task. */
	servers: 6,
	/** A cold start of a large Java or Rust project. */
	startMs: 60_000,
	/** How long one call waits for it; the start continues. */
	startWaitMs: 15_000,
	/** One request of the `lsp` tool; a server that needs longer is hanging, or indexing. */
	requestMs: 20_000,
	/** How long the result of an edit waits for the diagnostics of the new version. */
	afterEditMs: 300,
	/** How long the result of an edit waits for `lsp.formatOnWrite`, which the user has asked for. */
	formatMs: 2000,
	/** Characters of the differences that formatting made; beyond them the model reads the file. */
	formatDiffChars: 4000,
	/** How long the end of a run waits for diagnostics that are still missing. */
	runEndMs: 2000,
	/** How long diagnostics may take that follow a result as a note; the specification's figure. */
	lateMs: 25_000,
	/** How long a server may take to shut down. */
	stopMs: 1000,
	/** A server that nobody has asked for this long is stopped. */
	idleMs: 10 * 60_000,
	/** After a crash: the first wait before a restart, doubled each time, ... */
	restartMs: 1000,
	/** ... and the number of crashes after which it is left alone. */
	crashes: 5,
	/** Documents that are open in a server at once; the least recently used one is closed. */
	openDocuments: 100,
	/** A file with more characters is not opened. */
	documentChars: 4_000_000,
	/** Open documents beside the changed ones that are checked after an edit: those that were used last. */
	dependants: 20,
	/** Files whose published diagnostics are kept: a server may check a whole project. */
	publishedFiles: 5000,
	/** A server that answers for a whole project in parts has finished when it is silent for this long. */
	projectQuietMs: 3000,
	/** How long a request waits until the project is watched: a large one takes longer, once, in the background. */
	watchMs: 300,
	/** How long finding its directories may hold up a key. */
	watchSliceMs: 5,
	/** Directories that are watched; the system allows some ten thousand for each user. */
	watchedDirectories: 10_000,
	/** Changed files in one notification: after a checkout of another branch. */
	changedFiles: 10_000,
	/** By how much the clock of a file system may be behind. */
	clockMs: 50,
	/** Capabilities that a server registers later. */
	registrations: 500,
	/** Between two requests that are repeated. */
	repeatMs: 50,
	/** Many servers answer requests before they have read their configuration or the project: with nothing. So long after its start ... */
	coldMs: 5000,
	/** ... or while it reports progress, a server is asked again for at most this long. */
	coldWaitMs: 3000,
	/** ... and for a rename in this interval, because each answer is compared with a search. */
	renameAgainMs: 300,
	/** A server that only publishes may never mention a file without problems; after this long its silence counts as that. */
	silentMs: 3000,
	/** Edits whose check has begun: denied calls never end theirs. */
	begunChecks: 16,
	/** How long importers of a changed file are looked for, once; a result waits no longer than `afterEditMs` for all. */
	importersMs: 1000,
	/** How long one of them may take before an edit; what is not known then is not compared. */
	dependantMs: 2000,
	/** How long `lspmux status` may take. */
	lspmuxMs: 1000,
	/** Other Tau that use one server at once. */
	guests: 32,
	/** How often the owner of a server may end while others join it. */
	handovers: 3,
	/** What waits for another Tau that does not read. */
	socketBytes: 64 * 1024 * 1024,
	/** After this long without an answer, the Tau that owns the server is asked whether it still responds. */
	slowMs: 2000,
	/** How long another Tau may take to answer before its server is not used, ... */
	joinMs: 5000,
	/** ... and how long between two attempts to reach one that is just starting. */
	joinPauseMs: 50,
	/** A path of a Unix socket has at most 107 bytes on Linux, and 103 on macOS. */
	socketPathBytes: 103,
	/** Lines of a server's own log that are kept. */
	logLines: 200,
	logLineChars: 500,
	/** How deep below the working directory a project's marker is looked for when no file is named. */
	rootParents: 32,
	/** Diagnostics in one result. */
	diagnostics: 50,
	/** Characters of one diagnostic: about 25 tokens. */
	diagnosticChars: 120,
	/** Locations, symbols and calls in one result. */
	locations: 200,
	rowChars: 200,
	hoverChars: 4000,
	rawChars: 20_000,
	/** Characters of the differences that a preview shows; the other files are named. */
	previewChars: 30_000,
	/** Files with a symbol's name that are looked for, ... */
	mentions: 500,
	/** ... how long that and reading them may take, ... */
	mentionsMs: 10_000,
	/** ... how many are opened for a server that searches open files only: fewer than `openDocuments`, ... */
	openedMentions: 80,
	/** ... and how many are listed. */
	listedMentions: 10,
	/** Files that one rename or code action may change. */
	editedFiles: 5000,
	/** After a change to a server that does not name versions: silence after which its last word counts. It grows ... */
	settleMs: 150,
	/** ... with the time that the server usually takes, up to this; what may be about an earlier text gets three times that time. */
	settleMaxMs: 1000,
	/** After a change of another file: how long a server that only publishes may take to mention a file again. */
	repeatedMs: 1000,
} as const;
