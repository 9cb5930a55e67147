/** The bounds of generating images, each with its reason. */
const MB = 1024 * 1024;

export const limits = {
	/** The longest prompt that all services take. */
	subjectChars: 32_000,
	/** A large image of high quality takes minutes. */
	requestMs: 5 * 60_000,
	/** An image of 4K in base64, and some. */
	bodyBytes: 64 * MB,
	/** Input images; the services take between 3 and 16. */
	inputs: 8,
	inputBytes: 15 * MB,
	/** Images of one answer that are kept. */
	images: 4,
	errorChars: 500,
	noteChars: 2000,
} as const;
