/** The bounds of the package, each with its reason. */
export const limits = {
	/** The part of a command's output that a model can use; the spec's figure. */
	outputTailBytes: 50 * 1024,
	/** Output that a terminal of another program has not read yet; more is not shown there. */
	shownOutputBytes: 1024 * 1024,
	/** What a pipe of Linux holds. */
	pipeBytes: 64 * 1024,
	/** How much of a command's output is handled in one turn of the event loop: 1 ms. */
	outputTurnBytes: 512 * 1024,
	/** How long a command's output waits for its end before it is read as it comes. */
	outputLookMs: 5,
	/** How long a process may take after SIGTERM before it is killed; Ctrl+C must be done in 300 ms. */
	killGraceMs: 120,
	/** How long to wait for a killed process to be gone; only one that hangs in the kernel takes longer. */
	killWaitMs: 60,
	/**
	 * The interval between two checks of processes that are ending; one check costs some microseconds per process.
	 */
	killPollMs: 5,
	/** After the shell has exited: how often to check whether a pipe that a background child holds is silent, ... */
	drainTickMs: 25,
	/** ... how many checks in a row must find it silent, ... */
	drainSilentTicks: 4,
	/** ... and how many checks there are for a child that never stops printing: 2 s. */
	drainTicks: 80,
	/**
	 * After a program has exited whose background children hold its outputs: how long to read the program's own
	 * output.
	 */
	programDrainMs: 250,
	/** How long a program with a protocol of its own may take to exit after its input has ended. */
	programGraceMs: 250,
	/**
	 * Named pipes that are created at a time: one is enough until a background child keeps it, and a start costs 1
	 * ms.
	 */
	pipesMade: 4,
	/**
	 * Shells that are remembered because they may have left background processes; beyond this number, those without
	 * any are dropped.
	 */
	ownedShells: 256,
	/** How often processes are ended that have come to us, which may start others all the time: 2 s. */
	orphanRounds: 200,
	/** How long each time, in which nothing else happens: one look takes 0.1 ms. */
	orphanRoundMs: 10,
	/** How often a watcher that was killed is replaced before Tau starts another process: a command may kill each one. */
	watcherReplacements: 8,
	/** How many checks a shell gets to return after its command was ended; then it is killed and started again. */
	interruptLooks: 8,
	/** How long a shell may take that gets no processor time, on an overloaded machine. */
	interruptMs: 2_000,
	/** A bash is ready after 3 ms; on an overloaded machine it may take a thousand times as long. */
	shellStartMs: 10_000,
	/** The state of a shell: its variables and functions; completions of large tools have some hundred kilobytes. */
	shellStateBytes: 16 * 1024 * 1024,
	/** Characters of the message of a sandbox that could not start a shell. */
	launchMessageChars: 2_000,
	/** How long a message of such a sandbox is waited for after its end; it was written before. */
	complaintMs: 100,
	/** How long the user's rc file may take; nvm and conda together need one second. */
	snapshotMs: 5_000,
	/** How long a snapshot is valid: an rc file reads other files, whose changes are not noticed. */
	snapshotAgeMs: 24 * 60 * 60 * 1000,
	/** HEAD and `.git` files contain one line with a name or a path. */
	gitPointerBytes: 8 * 1024,
	/** Settings and attributes are written by hand. */
	gitSettingsBytes: 1024 * 1024,
	/** Git reads its settings in milliseconds. */
	gitSettingsMs: 10_000,
	/** The index of a pack with 18 million objects. */
	gitPackIndexBytes: 512 * 1024 * 1024,
	/** An index of 500,000 files; a larger one is not read, and every file counts as untracked. */
	gitIndexBytes: 128 * 1024 * 1024,
	/** Git's own default for the longest chain of deltas is 50; packs of others have up to 4,095. */
	gitDeltaDepth: 4096,
	/** A larger file is not worth keeping in memory for a rewind. */
	gitObjectBytes: 64 * 1024 * 1024,
	/** Packs that are held open; git itself joins packs beyond 50. */
	gitPacks: 200,
	/** Repositories that a repository borrows objects from; git's own bound for chains is 5. */
	gitAlternates: 8,
	/** Bytes of git's error output; a message shows less. */
	gitErrorBytes: 64 * 1024,
	/** Characters of git's own message that a user sees. */
	gitMessageChars: 600,
	/** The smallest and largest terminal that programs are built for; the spec's figures. */
	ptyColumns: [20, 400],
	ptyRows: [5, 200],
	/** Lines of a terminal that have scrolled away: more than a model reads of one output. */
	screenLines: 5_000,
	/** Output of a terminal that waits to be read: the emulator takes 0.1 s for it, and then shows the newest. */
	screenPendingBytes: 1024 * 1024,
	/**
	 * The width of a tab in displayed text, in any column: deep indentation still fits a narrow terminal; pi's
	 * figure.
	 */
	tabCells: 3,
	/** Characters of a text that is measured as a whole; of a longer one, often only the first row is of interest. */
	quickChars: 4096,
	/** Styles of text that are remembered with the bytes between them: a theme has about fifty. */
	stylesKept: 256,
	/**
	 * The longest side of an image for a model: above this, providers scale down themselves or refuse many at once.
	 */
	imageSide: 2000,
	/** An image as base64: Anthropic's 5 MB minus the rest of the request. */
	imageBase64Bytes: 4_718_592,
	/** The largest image that is decoded: 64 million pixels are 256 MB of memory. */
	imagePixels: 64_000_000,
	/** No camera writes larger files with this many pixels. */
	imageInputBytes: 64 * 1024 * 1024,
	/** An archive is held in memory while it is read or written. */
	archiveBytes: 256 * 1024 * 1024,
	/** The unpacked size of a tar.gz; a few kilobytes of gzip can expand to gigabytes. */
	archiveUnpackedBytes: 256 * 1024 * 1024,
	/** One file of an archive; what is read for a user or a model is far smaller. */
	archiveEntryBytes: 64 * 1024 * 1024,
	/** A longer listing would not help, and takes 100 bytes per entry in memory. */
	archiveEntries: 200_000,
	/** How deeply elements may be nested; the deepest real pages stay below 100. */
	htmlDepth: 200,
	/** A page as downloaded; a larger one carries data, not text. */
	htmlChars: 8 * 1024 * 1024,
	/** A page without its scripts; converting this much takes a second. */
	htmlReadChars: 1024 * 1024,
	/** Extracting the article from more elements than this takes too long; then the whole page is converted. */
	htmlArticleElements: 20_000,
	/** A block of so many characters is prose; a shorter one may be a label. */
	htmlProseChars: 80,
	/** The part of an article that one element beside its text can have: more of it is the text itself. */
	htmlBoilerplateShare: 0.35,
	/** An article with less of the page's prose than this is one of several texts: all of them are read. */
	htmlArticleShare: 0.5,
	/** If forms contain more of a page's text than this, they are around the content. */
	htmlFormShare: 0.4,
	/** The address of a picture that is shown; longer ones are made by image servers. */
	htmlImageUrlChars: 120,
	/** A row of a table up to which its columns are aligned. */
	htmlTableChars: 100,
	/** A document as stored; a scanned book is larger, and contains no text. */
	documentBytes: 64 * 1024 * 1024,
	/** One part of an Office document, unpacked; as a tree it takes about ten times that. */
	documentPartBytes: 32 * 1024 * 1024,
	/** Pages that are read at once; a page of a PDF takes about 15 ms. */
	documentPages: 200,
	/** Text that is returned at once: 200,000 rows of a sheet. A model is shown a part of it. */
	documentChars: 6_000_000,
	/** Text of one sheet: less than all, so that the note about the rest fits. */
	documentSheetChars: 5_900_000,
	/** Form fields, notes and links of one page; a long form has some hundred. */
	documentAnnotations: 2_000,
	/** Rows of a chart's data; a chart with more is a curve. */
	documentChartRows: 500,
	/** A tag or a text in a streamed part; a cell has at most 32,767 characters. */
	documentTokenChars: 4 * 1024 * 1024,
	/** Streamed XML after which memory is given back: the engine alone would wait for a hundred megabytes. */
	documentSweepBytes: 4 * 1024 * 1024,
	/** Strings of a workbook, which its cells refer to. */
	documentStrings: 1_000_000,
	/** Cells of one table of an OpenDocument file, and columns, which a single cell far to the right would otherwise fill up. */
	documentCells: 200_000,
	documentColumns: 1_000,
	/** Text that goes through the terminal to the clipboard, as base64; xterm and others drop longer text. */
	osc52Chars: 100_000,
	/** A clipboard program responds in some milliseconds, or waits for a window that does not respond. */
	clipboardMs: 3_000,
	/** Data that is read from the clipboard; a large screenshot has 20 MB. */
	clipboardBytes: 64 * 1024 * 1024,
} as const;
