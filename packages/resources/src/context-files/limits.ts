/** The limits of the context files that a project may add before the conversation starts. */
export const limits = {
	/** One file, with what it imports: about 10,000 tokens. Longer ones are better read on demand. */
	fileBytes: 40 * 1024,
	/** The size of all files together; the nearest to the working directory have priority. */
	totalBytes: 96 * 1024,
	/** Imports within imports; deeper ones are a mistake or a trap. */
	importDepth: 5,
	/** Imports of one file and of those it imports. */
	imports: 50,
} as const;
