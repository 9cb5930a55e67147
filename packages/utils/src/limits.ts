/** The bounds of this package, each with its reason. */

export const eventStreamLimits = {
	/**
	 * Unread events after which a producer has to wait. Merged deltas count once, so only a stuck reader reaches
	 * this.
	 */
	unreadEvents: 4_096,
	/**
	 * Slots already read that are kept before the queue is compacted; below this, copying costs more than it frees.
	 */
	compactAfter: 256,
} as const;

export const idLimits = {
	/** Even with a billion ids taken, one attempt in four collides: this many in a row do not. */
	shortAttempts: 64,
} as const;

export const nearestLimits = {
	/** Longer than any flag, command or model name that a user types; the comparison is quadratic. */
	wordLength: 128,
	/** A single letter is the start of too many words to be a hint. */
	prefixLength: 2,
} as const;

export const dotenvLimits = {
	/** A `.env` holds keys, not data; a larger file is a mistake or an attack on the start-up time. */
	fileBytes: 256 * 1024,
} as const;

export const maskLimits = {
	/** Shorter values appear in ordinary text, and masking them would make it unreadable. */
	secretLength: 6,
	/** Registered secrets; each costs one search through the text. */
	registered: 512,
	/** Characters shown of a key of a known shape: its prefix, and never a quarter of it. */
	hintLength: 4,
	/** A label such as `-----BEGIN ENCRYPTED PRIVATE KEY-----` is shorter than this. */
	pemLabel: 80,
	/** The base64 of a private key: RSA with 16,384 bits has 12,000 characters. */
	pemBody: 16_384,
	/** A word or a path has no run of so many characters of base64. */
	base64Run: 200,
	/** Levels, entries of one object, and values altogether that a masked copy keeps. */
	depth: 8,
	entries: 100,
	nodes: 2_000,
	keyLength: 128,
	/**
	 * The length that is kept of a string, and the length that is masked: longer, because a secret may cross the cut.
	 */
	stringLength: 4_096,
	stringInput: 65_536,
} as const;

export const secretLimits = {
	/** Shorter texts hold no secret, and shorter values appear in ordinary text. */
	shortest: 8,
	/** `/home/x` is the shortest home that contains a user name. */
	shortestHome: 7,
	/** Characters shown of a token of a known family: its prefix. */
	hint: 4,
	/** A word or a path has no run of so many characters of base64. */
	base64Run: 200,
	/** Bits a character: English words have 3 to 3.4, random letters and digits of 16 characters 3.6 to 4. */
	headerEntropy: 3,
	quotedEntropy: 3.2,
	/** Without quotes the value may be code. */
	bareEntropy: 3.5,
	/** Long names of programs stay below it. */
	wordEntropy: 4.1,
} as const;

export const logLimits = {
	/** About 20,000 lines; with the rotated files at most 20 MB on disk. */
	fileBytes: 5 * 1024 * 1024,
	keep: 3,
	/** One `write` of this size is still atomic in append mode on local file systems. */
	lineLength: 64 * 1024,
	/** Rotation renames a few files; a lock older than this has lost its owner. */
	staleLockMs: 10_000,
} as const;

export const textLimits = {
	/** UTF-16 units read per grapheme. A family emoji has 11; more stacked accents than this are a prank. */
	graphemeUnits: 32,
	/** The same for a line that still contains sequences to strip and white space to collapse. */
	oneLineUnits: 128,
} as const;

export const timingLimits = {
	/** A run that opens more spans than this is a loop, and its tree would not be read. */
	spans: 10_000,
	/** Lines printed unless all of them are requested. */
	rows: 60,
} as const;

export const temporaryLimits = {
	/** Left-over directories that one process deletes; the next one continues. */
	sweptDirectories: 64,
} as const;

export const lockLimits = {
	/** The interval at which the owner of a lock renews it. */
	beatMs: 20_000,
	/** A lock whose owner cannot be checked is stale after this many missed heartbeats: clocks of hosts differ. */
	staleMs: 120_000,
	/** How long a change of a small file waits for another process, and how often it looks. */
	waitMs: 2000,
	pollMs: 5,
	/** Attempts for a lock file that appears and disappears; more often than this, it is not a regular file. */
	attempts: 100,
	/** Taking over a stale lock takes a few system calls; a guard that is older has lost its owner. */
	takeoverStaleMs: 10_000,
} as const;
