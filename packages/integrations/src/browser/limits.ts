/** The bounds of the browser, each with its reason. */
const MB = 1024 * 1024;

export const limits = {
	/** How long a browser may take to start; an overloaded machine needs tens of seconds. */
	startMs: 60_000,
	/** Lines of the browser's own errors that are kept, for the message if it ends. */
	errorLines: 20,
	errorLineChars: 300,
	/** One message of the browser: a screenshot of a long page in base64, or the tree of a large one. */
	messageBytes: 256 * MB,
	/** How long a page may take to load, ... */
	loadSeconds: 30,
	/** ... and the longest that a call may ask for. */
	maxSeconds: 300,
	/** After its content has arrived, how long the rest of a page is waited for: images and advertisements. */
	restMs: 2000,
	/** After an action, how long the requests that it started are waited for. */
	settleMs: 3000,
	/** How long one request to a page may take: a page that computes without an end does not answer. */
	answerMs: 15_000,
	/** How long a page that is being left may be silent before its tab is replaced: its script would hold up the next page. */
	busyMs: 1000,
	/** How long a page may hold up the next one, which has arrived: a few milliseconds are usual. */
	commitMs: 3000,
	/** How long the end of a tab, or of the browser, is waited for. */
	closeMs: 3000,
	/** Private hosts that the user is asked about at the same time, and in all; hosts that calls have opened. */
	questions: 3,
	/** How long after a call that opens a host a connection to it belongs to the call. */
	openedMs: 30_000,
	answers: 100,
	/** Tabs at once; a page that opens more is closed again. */
	tabs: 16,
	/** Frames of one page that are read: advertisements come in dozens. */
	frames: 40,
	/** Elements that have a number; the oldest are forgotten. */
	refs: 50_000,
	/** Elements of one frame up to which its whole tree is read; of a larger page, only what is visible. */
	treeElements: 15_000,
	/** Controls of such a page that are listed. */
	visibleElements: 400,
	/** Elements whose style is looked at, and those of them that a click may do something to. */
	styledElements: 5000,
	clickables: 100,
	/** Elements that can be dragged, and as many that something can be dropped on. */
	draggables: 100,
	/** The document of one page; a larger one is not loaded further. */
	documentBytes: 5 * MB,
	/** A look: 2,000 tokens. */
	lookChars: 7600,
	/** A look of an action: what changed. */
	diffChars: 2800,
	/** A second look shows only changes if the whole page would be at least so many times as long. */
	againShare: 3,
	/** Lines of text that are compared; the changes of a longer page are not shown as text. */
	textLines: 4000,
	/** The name and the value of one element in a look, and a line of text. */
	nameChars: 60,
	valueChars: 80,
	textLineChars: 300,
	/** How long the title of a tab may take: one that is busy is listed without. */
	titleMs: 1000,
	/** The text of a dialog or a title. */
	titleChars: 200,
	/** Requests and messages of the console that a tab remembers: the newest. */
	requests: 200,
	messages: 200,
	messageChars: 500,
	urlChars: 300,
	/** An address that a page can be opened by. */
	openedUrlChars: 8192,
	/** The part of a result of code, a log or a text that is shown; the rest is in an artifact. */
	resultBytes: 7600,
	/** The source of a page that is turned into an article, and the result of code in a page. */
	sourceChars: 8 * MB,
	/** How often a condition of wait is looked at. */
	pollMs: 100,
	/** A screenshot of a longer page ends here: models see no more. */
	screenshotHeight: 8000,
	/** Labels that a screenshot draws. */
	drawnRefs: 150,
	/** One download, all of a browser together (its directory keeps them), and how many run at once. */
	downloadBytes: 200 * MB,
	allDownloadBytes: 1000 * MB,
	downloads: 20,
	downloadMs: 120_000,
	/** A piece of a file that is copied. */
	copyBytes: MB,
	/** Events beside an action that a result mentions: alerts, new tabs, downloads. */
	notes: 20,
	/** Saved cookies of a project. */
	cookies: 3000,
	cookieFileBytes: 4 * MB,
	/** Saved local storage: of one origin (browsers allow 5 MB, logins need a fraction), the origins, and all of it. */
	storageChars: 64_000,
	storageOrigins: 100,
	storageFileBytes: 16 * MB,
	/** Files of one upload. */
	uploads: 20,
	/** Clicks at once: a third one selects a paragraph. */
	clicks: 3,
	/** Characters that are typed one by one; a page handles each as an event. */
	typedChars: 5000,
	/** Moves of the pointer between the two ends of a drag. */
	dragSteps: 6,
	/** Fields of one call. */
	fields: 50,
} as const;
