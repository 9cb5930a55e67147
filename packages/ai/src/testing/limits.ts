/** The bounds of the played model, each with its reason. */

export const limits = {
	/** Headers of one request; servers in the wild stop at 8 to 64 KB. */
	headBytes: 64 * 1024,
	/** Body of one request: above the 32 MB at which the vendors refuse. */
	bodyBytes: 64 * 1024 * 1024,
	/** Characters collected before a write; 16 to 256 KB perform alike on loopback. */
	batchChars: 64 * 1024,
	/** How long a test waits for an expected request by default. */
	waitMs: 60_000,
	/** Characters that count as one token when a script gives no usage. */
	charsPerToken: 4,
} as const;
