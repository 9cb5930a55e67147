/** The bounds of the terminal package, each with its reason. */

export const engineLimits = {
	/**
	 * The interval between two frames: streaming text reads as smoothly at 20 frames a second as at 60, for a third
	 * of the work.
	 */
	frameMs: 50,
	/**
	 * The share of the time that frames may take, and the interval between two that cost more: a text that streams is
	 * drawn twenty times a second where that takes half a millisecond, twelve times where it takes one, and eight times
	 * on a slow or busy machine.
	 */
	frameShare: 0.0125,
	costlyFrameMs: 125,
	/** The weight of the newest frame in the mean cost: one slow frame among many changes little. */
	newestFrame: 0.2,
	/**
	 * The interval between two frames requested by keys: typing is not limited to the pace of animations; a flood of
	 * pastes is.
	 */
	keyFrameMs: 3,
	/** What is left of a layout waits so long, however long the last part took: input is handled between two parts. */
	yieldMs: 1,
	/** A resize is drawn when the window has kept its size for this long: dragging gives tens of sizes per second. */
	resizeSettleMs: 40,
	/** In a multiplexer: tmux reports the sizes of a pane that is dragged at most every 250 ms. */
	multiplexerSettleMs: 260,
	/** Rows at the end of the history that each frame is compared with, ... */
	auditRows: 24,
	/** ... of which this many non-blank ones must agree, except for one. */
	auditSamples: 8,
	/** Rows at the end of the history that are kept to find where it was changed. */
	historyKept: 512,
	/** Rows that a resize or a redraw writes again: most terminals do not keep more (kitty 2,000, iTerm2 1,000). */
	replayRows: 5000,
	/** Rows of finished blocks that a transcript can still draw, in full-screen mode and after a resize. */
	transcriptRows: 50_000,
	/** Blocks are dropped in batches of this size: moving a long array for each one would cost more than it frees. */
	forgetBlocks: 64,
	/**
	 * A block counts as growing at its end while a frame rewrites no more rows than these: the open row and a border.
	 */
	appendTail: 2,
	/** Frames without a rewrite until a block counts as growing at its end again. */
	rearmFrames: 8,
	/** Frames that a row must stay unchanged to count as settled while rows below it still change. */
	stableFrames: 30,
	/** Characters of committed text that are searched in a new layout to find the position again. */
	rewrapChars: 64,
} as const;

export const terminalLimits = {
	/** A terminal that has not answered by then will not: the slowest connections need a second. */
	probeMs: 1500,
	/** How long an ESC may be the beginning of a reply, while one is awaited: two packets. */
	replyHoldMs: 150,
	/** Characters of input that are handled in one turn of the event loop: each may be a key with a frame. */
	inputSliceChars: 512,
	/** The interval between two attempts to write to a blocked terminal, at first and at last. */
	retryMs: 1,
	retryMostMs: 32,
	/** Pending output for the terminal; frames do not wait, so only a complete redraw comes near it. */
	pendingBytes: 32 * 1024 * 1024,
	/** How long the exit waits for a blocked terminal: longer would be a program that does not end. */
	flushMs: 500,
	/** A longer title or notification is cut: it is one line of a window. */
	titleChars: 200,
	noticeChars: 500,
	/** The most that terminals accept into the clipboard: xterm and tmux stop at about 75 KB of text. */
	clipboardBytes: 74_994,
	/** The size of a terminal that does not report it: the VT100's. */
	columns: 80,
	rows: 24,
} as const;

export const imageLimits = {
	/** Images whose pixels the terminal holds: at 4 MB each for a screenshot, a hundred would be noticeable. */
	live: 12,
	/** The rows that kitty's marks can number here; more than a screen has. */
	rows: 72,
	/** The colors of a sixel image: the registers that most terminals have, and all that the quantizer makes. */
	sixelColors: 256,
	/** The pixels of a sixel image, which is written again whenever its rows are: 1 to 2 MB at most. */
	sixelPixels: 1_000_000,
	/** The default width of an image: about half a wide screen. */
	columns: 80,
	/** Characters of a file name in the line that replaces an image. */
	nameChars: 60,
} as const;
