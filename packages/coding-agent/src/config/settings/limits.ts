/** The bounds of the settings, each with its reason. */
export const limits = {
	/** More retries than this are a program that hammers a server. */
	retries: 100,
	/** Who does not go on after so many reminders will not. */
	reminders: 20,
	/** A wait of more than a day is not a wait. */
	delayMs: 24 * 60 * 60 * 1000,
	/** Beyond these a budget is a slip of the keyboard: nobody means it. */
	cost: 1_000_000,
	turns: 1_000_000,
	tokens: 1_000_000_000_000,
	/** Of a wrong value, shown to say which one is meant. */
	shownChars: 40,
	/** Problems of one file that are told; a file with more is not a file of settings. */
	problems: 50,
	/** How long a writer waits for another one, which needs milliseconds. */
	lockWaitMs: 5_000,
	lockPollMs: 10,
	/** How often a write begins anew because the file was changed in the meantime. */
	writeAttempts: 20,
	/** Links that lead from one to the next: as many as Linux follows. */
	linkSteps: 40,
} as const;
