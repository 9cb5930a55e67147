/** The bounds of extensions, each with its reason. */
export const limits = {
	/** After this time a user wonders what takes so long, so the handler is named. */
	slowHandlerMs: 5000,
	/** A handler may ask a server or a model; one that takes longer than this holds everything up for nothing. */
	handlerMs: 2 * 60_000,
	/** Summaries that extensions write take a model its time. */
	summaryMs: 10 * 60_000,
	/** A page shows its own view until then, and the renderer may read a file for it. */
	webDrawMs: 5000,
	/** What the page says of a renderer that failed. */
	webProblemChars: 300,
	/** After this time an extension that is still loading is named, and a session on a screen starts without it. */
	slowLoadMs: 2000,
	/** A factory may fetch a list of models; a prompt waits no longer than this. */
	factoryMs: 30_000,
	/** How often `session_stop` handlers may continue one prompt; a handler that always does would never let it end. */
	stopContinuations: 20,
	/** Events of a server that wait for handlers: a long answer has some thousand, and each may hold a picture. */
	streamEvents: 10_000,
	/** After so many new timers, those that are gone are forgotten. */
	timersBetweenLooks: 256,
	/** A server that lists its models answers within seconds, or its list is done without. */
	modelListMs: 30_000,
	/** What is put away at the end must not keep the terminal. */
	shutdownMs: 3000,
	/** `pi.exec` and commands without a time of their own: a day ends what was forgotten. */
	execMs: 24 * 60 * 60 * 1000,
	/** What `pi.exec` keeps of each of the two outputs; what comes after is read and dropped. */
	execBytes: 16 * 1024 * 1024,
	/** An extension manifest is a page; a longer package.json is not one. */
	manifestBytes: 1024 * 1024,
	/** Extensions of one directory: more is a directory with another purpose. */
	perDirectory: 200,
	/** trust.json has a line for each project, and one for each file of code in it. */
	trustBytes: 8 * 1024 * 1024,
	/** Files of a project's extensions, hooks and tools that are compared with those that were trusted. */
	codeFiles: 2000,
	codeDepth: 8,
	/** Their names in trust.json; the files beyond these two bounds share one entry. */
	codeNameChars: 256 * 1024,
	/** What is read of them at each start; of files beyond that the size and the time are compared. */
	codeBytes: 16 * 1024 * 1024,
	/** Files and directories that are looked at. A project with more is asked about at each start. */
	codeLooks: 50_000,
	/** The changed files that a notice names. */
	namedChanges: 3,
	/** The words of a hook's command that may name a script. */
	hookWords: 200,
	/** The maximum length of a call that is described in one line. */
	callChars: 300,
	/** What a problem repeats of an error of an extension. */
	errorChars: 2000,
	/** A longer text of a tool fills the largest model by itself: the model gets its ends, and the artifact has it. */
	resultChars: 1024 * 1024,
	/** The excerpt that a model gets of a result part that it cannot read: enough to see what it was. */
	oddPartChars: 2000,
	/** How deep data is copied that cannot be serialized: deeper than anything that is shown. */
	dataDepth: 32,
	/** Handler errors that are reported one by one; an extension that fails on each delta would flood the screen. */
	reportedErrors: 20,
	/** Resources of one session's extensions, such as their own shells; the oldest end first. */
	scopeResources: 256,
	/** How deep tools may call tools that call tools; deeper is a loop. */
	nestedCalls: 8,
	/** Sessions that extensions create in sessions that extensions created; deeper is a loop. As deep as children. */
	nestedSessions: 8,
} as const;
