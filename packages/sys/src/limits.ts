/** The bounds of the package, each with its reason. */
export const limits = {
	/** What a model can use of a command's output; the spec's figure. */
	outputTailBytes: 50 * 1024,
	/** How long a process that was asked to end may take before it is killed; Ctrl+C must be done in 300 ms. */
	killGraceMs: 120,
	/** How long to wait for a killed process to be gone; only one that hangs in the kernel takes longer. */
	killWaitMs: 60,
	/** Between two looks at processes that are about to end; one look costs some microseconds a process. */
	killPollMs: 5,
	/** After the shell has ended: how often to look whether a pipe that a background child holds is silent, ... */
	drainTickMs: 25,
	/** ... how many looks in a row must find it silent, ... */
	drainSilentTicks: 4,
	/** ... and how many looks there are for a child that never stops talking: 2 s. */
	drainTicks: 80,
	/** After a program has ended whose background children hold its outputs: for what it has said itself. */
	programDrainMs: 250,
	/** Named pipes that are made at a time: one is enough until a background child keeps it, and a start costs 1 ms. */
	pipesMade: 4,
	/** Shells that are remembered because they may have left somebody behind; beyond it, those that did not go. */
	ownedShells: 256,
	/** How often to look for a shell to come back whose command was ended; then it is killed and started anew. */
	interruptLooks: 8,
	/** How long one may take that is not let on a processor: on a machine that is out of breath. */
	interruptMs: 2_000,
	/** A bash is ready after 3 ms; on a machine that is out of breath it may take a thousand times as long. */
	shellStartMs: 10_000,
	/** How long the user's rc file may take; nvm and conda together need one second. */
	snapshotMs: 5_000,
	/** How long its outcome is good for: an rc file reads others, whose changes nobody sees. */
	snapshotAgeMs: 24 * 60 * 60 * 1000,
	/** HEAD and `.git` files hold one line with a name or a path. */
	gitPointerBytes: 8 * 1024,
	/** Of what git prints about an error: a message shows less. */
	gitErrorBytes: 64 * 1024,
	/** Of git's own message that a user sees. */
	gitMessageChars: 600,
	/** The smallest and largest terminal that programs are built for; the spec's figures. */
	ptyColumns: [20, 400],
	ptyRows: [5, 200],
	/** A tab in text that is shown, wherever it stands: deep indentation still fits a narrow terminal; pi's figure. */
	tabCells: 3,
	/** The longest side of an image for a model: above, providers scale down themselves or refuse many at once. */
	imageSide: 2000,
	/** An image as base64; Anthropic's 5 MB less what travels around it. */
	imageBase64Bytes: 4_718_592,
	/** What is decoded at most: 64 million pixels are 256 MB of memory. */
	imagePixels: 64_000_000,
	/** No camera writes larger files of so many pixels. */
	imageInputBytes: 64 * 1024 * 1024,
	/** An archive is held in memory while it is read or written. */
	archiveBytes: 256 * 1024 * 1024,
	/** What a tar.gz may be unpacked; a few kilobytes of gzip can stand for gigabytes. */
	archiveUnpackedBytes: 256 * 1024 * 1024,
	/** One file out of an archive; what is read for a person or a model is far smaller. */
	archiveEntryBytes: 64 * 1024 * 1024,
	/** A listing of more would help nobody, and takes 100 bytes each in memory. */
	archiveEntries: 200_000,
	/** How deep elements may stand in each other; the deepest of real pages stay below 100. */
	htmlDepth: 200,
	/** A page as it comes; what is larger carries data, not text. */
	htmlChars: 8 * 1024 * 1024,
	/** A page without its scripts; converting takes a second for so much. */
	htmlReadChars: 1024 * 1024,
	/** Finding the article in more elements than this takes too long; the whole page is converted then. */
	htmlArticleElements: 20_000,
	/** A document as it comes; a scanned book is larger, and holds no text. */
	documentBytes: 64 * 1024 * 1024,
	/** One part of an Office document, unpacked; as a tree it takes about ten times that. */
	documentPartBytes: 32 * 1024 * 1024,
	/** Pages that are read at once; a page of a PDF takes about 15 ms. */
	documentPages: 200,
	/** Text that is handed out at once: twenty times what a model is shown. */
	documentChars: 2_000_000,
	/** Cells of one sheet, and columns, which a single cell far to the right would otherwise fill up. */
	documentCells: 200_000,
	documentColumns: 1_000,
	/** Text that goes through the terminal to the clipboard, as base64; xterm and others drop what is longer. */
	osc52Chars: 100_000,
	/** A clipboard program answers in some milliseconds, or waits for a window that does not. */
	clipboardMs: 3_000,
	/** What is taken from the clipboard; a large screenshot has 20 MB. */
	clipboardBytes: 64 * 1024 * 1024,
} as const;
