/** The bounds of the terminal package, each with its reason. */

export const engineLimits = {
	/** Between two frames: text that comes is read as smoothly at 20 a second as at 60, for a third of the work. */
	frameMs: 50,
	/** Between two frames that a key asked for: typing is not held to the pace of animations; a pasted storm is. */
	keyFrameMs: 3,
	/** A resize is drawn when the window has kept its size for this long: dragging gives tens of sizes a second. */
	resizeSettleMs: 40,
	/** In a multiplexer, where a layout change resizes a pane several times in a row. */
	multiplexerSettleMs: 100,
	/** Rows at the end of the history that each frame is compared with, ... */
	auditRows: 24,
	/** ... of which so many that are not blank must tell the same, up to one. */
	auditSamples: 8,
	/** Rows at the end of the history that are kept to find where it was changed. */
	historyKept: 512,
	/** Rows that a resize or a redraw writes again: what most terminals keep is not more (kitty 2,000, iTerm2 1,000). */
	replayRows: 5000,
	/** Rows of finished blocks that a transcript can still draw, in full-screen mode and after a resize. */
	transcriptRows: 50_000,
	/** Blocks are forgotten in lots of so many: moving a long array for each one would cost more than it frees. */
	forgetBlocks: 64,
	/** A block is growing at its end as long as a frame rewrites no more rows than these: the open row and a border. */
	appendTail: 2,
	/** After a rewrite: frames without one until a block counts as growing at its end again. */
	rearmFrames: 8,
	/** Frames that a row must stay as it is before it counts as settled while rows below it still change. */
	stableFrames: 30,
	/** Characters of committed text that are looked for in a new layout to find the place again. */
	rewrapChars: 64,
	/** Styles of text that are remembered with the bytes between them: a theme has about fifty. */
	stylesKept: 256,
} as const;

export const terminalLimits = {
	/** A terminal that has not answered by then will not: the slowest links need a second. */
	probeMs: 1500,
	/** How long the beginning of what may be a reply is kept from the keys, while one is awaited: two packets. */
	replyHoldMs: 150,
	/** The longest reply with a payload; a key that looks like the beginning of one must not be kept for ever. */
	replyChars: 1024,
	/** Between two tries to write to a terminal that takes nothing, at first and at last. */
	retryMs: 1,
	retryMostMs: 32,
	/** Output that waits for the terminal; frames do not wait, so only a redraw of everything comes near it. */
	pendingBytes: 32 * 1024 * 1024,
	/** How long the end waits for a terminal that takes nothing: longer is a program that does not end. */
	flushMs: 500,
	/** A title or a notification longer than this is cut: it is one line of a window. */
	titleChars: 200,
	noticeChars: 500,
	/** The most that terminals take into the clipboard: xterm and tmux stop at about 75 KB of text. */
	clipboardBytes: 74_994,
	/** Size of a terminal that does not say: the VT100's. */
	columns: 80,
	rows: 24,
} as const;

export const imageLimits = {
	/** Pictures whose pixels the terminal holds: at 4 MB each for a screenshot, a hundred would be felt. */
	live: 12,
	/** The rows that kitty's marks can number here; more than a screen has. */
	rows: 72,
	/** What a picture takes unless it is told: about half a wide screen. */
	columns: 80,
	/** Of a file name in the line that stands for a picture. */
	nameChars: 60,
} as const;
