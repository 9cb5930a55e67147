/** The bounds of what a project may say to the model before the conversation begins. */
export const limits = {
	/** One file, with what it imports: about 10,000 tokens. Longer ones are better read on demand. */
	fileBytes: 40 * 1024,
	/** All files together; the nearest to the working directory are kept first. */
	totalBytes: 96 * 1024,
	/** Imports within imports; deeper ones are a mistake or a trap. */
	importDepth: 5,
	/** Imports of one file and of those it imports. */
	imports: 50,
} as const;
