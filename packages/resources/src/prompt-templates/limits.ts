/** The bounds of prompt templates, each with its reason. */
export const limits = {
	/** A command in a template answers a question, as `git diff` does, while the user waits. */
	commandMs: 60_000,
	/** What a command may add to the prompt: about 10,000 tokens. */
	commandBytes: 40 * 1024,
	/** What a file may add to the prompt. */
	fileBytes: 40 * 1024,
	/** Commands and files of one template. */
	inlined: 30,
	/** What a list shows of a description. */
	descriptionChars: 200,
	/** What a notice repeats of a command. */
	shownChars: 80,
} as const;
