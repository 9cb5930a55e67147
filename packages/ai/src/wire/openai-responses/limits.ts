/** The bounds that the Responses API sets, and those of what we remember of it. */
export const limits = {
	/** Asking for less is refused. */
	leastOutputTokens: 16,
	/** Longer ids of items and calls are refused, although some gateways hand longer ones out. */
	idChars: 64,
	/** A longer key is refused. */
	cacheKeyChars: 64,
	/** Pairs of metadata, and the characters of a name and of a value. */
	metadataPairs: 16,
	metadataNameChars: 64,
	metadataValueChars: 512,
	/** Stored inputs that a later request may build on: one for each request, and few conversations run at once. */
	storedInputs: 1024,
} as const;
