/** The bounds of `tau web`, each with its reason. */
const KiB = 1024;
const MiB = 1024 * KiB;

export const limits = {
	/** A request without activity is dropped. */
	requestIdleSeconds: 60,
	/** A part of a file that is uploaded: small enough to be sent again over a bad connection. */
	chunkBytes: 4 * MiB,
	/** A file; the readers of documents take no more than 64 MB. */
	uploadBytes: 50 * MiB,
	/** Files that are being uploaded. */
	openUploads: 16,
	/** An upload that nothing comes of for so long is removed. */
	uploadIdleMs: 30 * 60_000,
	/** Files that were uploaded into one session. */
	uploads: 500,
	/** How long reading the text of a file may take. */
	readMs: 40_000,
	/** How long statistics wait for what vendors say about subscriptions. */
	quotaMs: 4000,
	/** How long the store of the fleet may take; it may be on another machine. */
	fleetMs: 5000,
	/** A message to a task. */
	steerChars: 100_000,
	/** The name of a file, which file systems limit to 255 bytes. */
	nameBytes: 200,
	/** A page that does not answer a ping within this time is gone. */
	socketIdleSeconds: 60,
	/** How often sessions are asked whether one waits, while a browser wants to be told: soon enough for a phone. */
	watchMs: 3000,
	/** Pages of one server, each with a WebSocket for its session. */
	sockets: 64,
	/** The first line of a page. */
	helloBytes: 16 * KiB,
	/** How long a page may take to send it. */
	helloMs: 5000,
	/** Unread bytes for a page, before no more of its session is read. */
	unreadBytes: MiB,
	/** Commands of a page that its session has not taken, before the page is dropped. */
	unsentBytes: 128 * MiB,
	/** Sessions in a list, unless the page asks for fewer. */
	listed: 500,
	/** A title or a name. */
	titleChars: 200,
} as const;
