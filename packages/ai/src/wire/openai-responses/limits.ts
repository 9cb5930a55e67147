/** The limits of the Responses API, and the bounds of what we remember of it. */
export const limits = {
	/** The API refuses less. */
	leastOutputTokens: 16,
	/** Longer ids of items and calls are refused, although some gateways issue longer ones. */
	idChars: 64,
	/** A longer key is refused. */
	cacheKeyChars: 64,
	/** Pairs of metadata, and the characters of a name and of a value. */
	metadataPairs: 16,
	metadataNameChars: 64,
	metadataValueChars: 512,
	/** Stored inputs that a later request may build on: one per request, and few conversations run concurrently. */
	storedInputs: 1024,
} as const;
