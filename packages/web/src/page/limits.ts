/** The bounds of the page, each with its reason. */
export const limits = {
	/** An open block that is longer is drawn less often: parsing it again costs its length each time. */
	openBlockChars: 16_384,
	/** How often such a block is drawn. */
	longBlockMs: 250,
	/** How often the words of an answer are drawn: each time costs a layout, and nobody reads faster. */
	deltaMs: 40,
	/** The most that they wait where drawing takes long. */
	slowestDeltaMs: 250,
	/** A finished block that is longer is shown as text: a parser may need the square of it. */
	blockChars: 400_000,
	/** Finished blocks that are left out together while they are out of sight: about a screen. */
	sectionBlocks: 40,
	/** Code that is longer is not highlighted. */
	highlightChars: 60_000,
	/** Lines of output that a closed call shows; the rest opens with it. */
	outputLines: 400,
	outputChars: 60_000,
	/** Rows of one diff; more are opened by a click. */
	diffRows: 800,
	/** Of a line, what is compared word by word. */
	wordDiffChars: 600,
	/** Rows beyond the visible ones that are in the page. */
	overscan: 6,
	/** The same when a session has just opened, and for how long: until it has been painted. */
	firstOverscan: 1,
	overscanMs: 300,
	/** Who reads no further than this from the end of a conversation follows it. */
	endPixels: 48,
	/** A conversation that has less room is not given a button for its end. */
	roomPixels: 120,
	/** Entries that one look back brings. */
	earlierEntries: 200,
	/** Prompts that the arrow keys go through. */
	historyEntries: 200,
	/** What a draft may take in the browser's store. */
	draftChars: 200_000,
	/** Rows of a session that is only read: those that are there at once, and those that follow at a time. */
	firstRows: 120,
	moreRows: 200,
	/** Pictures of the session's machine that are kept for when their row comes back into view. */
	pictures: 20,
	/** Files that a call has made which can be opened from it. */
	openedFiles: 6,
	/** How often the position of a recording is drawn. */
	playerMs: 200,
	/** Rows of the outline before the reader asks for more. */
	outlineRows: 600,
	/** How long a message that was jumped to is marked. */
	flashMs: 1600,
	/** How long a share may take to arrive. */
	shareMs: 60_000,
	/** Suggestions below the composer. */
	suggestions: 12,
	/** An image is made smaller than this before it is sent: more is of no use to a model. */
	imagePixels: 2000,
	imageBytes: 4 * 1024 * 1024,
	/** Files of one prompt. */
	attachments: 20,
	uploadBytes: 50 * 1024 * 1024,
	/** How often a part of a file is sent where the network fails, and how far apart: a phone changes its network in less. */
	uploadTries: 30,
	uploadRetryMs: 1000,
	/** How long drawing the pages of a document may take, before the worker that does it is ended. */
	previewMs: 15_000,
	/** The picture of a page beside its name, for screens with small pixels, and in the preview. */
	thumbnailPixels: 96,
	previewPixels: 720,
	/** Pages, rows and characters of a preview: enough to know which document it is. */
	previewPages: 8,
	previewRows: 50,
	previewChars: 8000,
	previewBytes: 256 * 1024,
	/** How often the list of sessions is asked for while it is visible. */
	listMs: 4000,
	/** How often the tasks of the fleet are asked for while they are shown. */
	fleetMs: 3000,
	/** Sessions, and the list of them, that can be read without a network. */
	keptRecords: 30,
	keptBytes: 4 * 1024 * 1024,
	/** How long after a change a session, or the list of them, is kept. */
	keepMs: 2000,
	/** A store that has not opened by then is done without: a session that is gone says so meanwhile. */
	storeMs: 2000,
	/** How long the worker of the page waits for the page to have nothing to do. */
	workerMs: 2000,
	/** How often a page that shows a copy tries to reach the session. */
	copyRetryMs: 5000,
	/** How long a button says that it has copied. */
	copiedMs: 1500,
	/** Notices that stand above the composer at once. */
	toasts: 4,
	toastMs: 7000,
	/** How long a request to the server may take. */
	requestMs: 30_000,
	/** The first scan of all sessions of the machine may read gigabytes. */
	usageScanMs: 300_000,
	/** Rows of a table of statistics before the user asks for all. */
	usageRows: 10,
	/** The whole of one artifact. */
	artifactBytes: 10 * 1024 * 1024,
	/** Versions of one artifact: the last ones. */
	artifactVersions: 50,
	/** Documents with scripts that run at once: each is a process of the browser. */
	frames: 6,
	/** Messages of an artifact between two questions whether it lives; one that sends more is ended. */
	frameMessages: 50,
	/** For so long after a key or a click of the user, an artifact does not keep the focus that it takes; how often it may try. */
	frameFocusMs: 1000,
	frameFocuses: 5,
	/** How often an artifact is asked whether it lives; one that does not answer so many times is ended, after 2 s. */
	heartbeatMs: 500,
	heartbeats: 4,
	/** Messages about tampering that are shown: a hostile relay could send them without end. */
	shownFaults: 3,
} as const;
