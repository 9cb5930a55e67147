/** The bounds of the thread that watches the main one, each with its reason. */
export const limits = {
	/** After so long without a sign of life, what blocks the main thread is named; `TAU_BLOCKED_MS` changes it. */
	blockedMs: 5000,
	/** How often the main thread gives a sign of life; one takes a microsecond. */
	beatMs: 1000,
	/** How often the watching thread looks for one, and how often it reads keys while the main thread is blocked. */
	lookMs: 500,
	keysMs: 50,
	/** Two presses of Ctrl+C within this time leave. */
	twiceMs: 2000,
	/** How long the main thread waits for the other one to let go of the terminal, which takes it a millisecond. */
	releaseMs: 1000,
	/** Names of extensions and what they do; longer ones are cut. */
	nameBytes: 256,
	/** All modes of a terminal together need less than 100 bytes. */
	restoreBytes: 512,
	/** Keys that are kept for the main thread; a longer paste is cut, or Ctrl+C behind it would never be read. */
	keyBytes: 1024 * 1024,
	/** What is read of the terminal at once; its own buffer holds 4 KB. */
	readBytes: 16 * 1024,
	/** How long the release of the last key is waited for, which the shell would show. */
	drainMs: 100,
	/** The name of an extension in a row of the screen. */
	labelChars: 30,
} as const;
