/** The bounds of Google Cloud's authentication, each with its reason. */
export const limits = {
	/** A key file has some 2 KB; a far larger one is another file. */
	credentialsBytes: 256 * 1024,
	/** A token arrives within a second; beyond this, something is wrong and the user should know. */
	exchangeMs: 15_000,
	/**
	 * The metadata server is on the same machine; elsewhere nothing responds, and every request would wait for that.
	 */
	metadataMs: 1_000,
	/** The answer of a token server has some 2 KB. */
	answerBytes: 64 * 1024,
	/** How long a signed assertion is valid: Google's maximum. */
	assertionSeconds: 3600,
	/** The assumed lifetime if the server does not state it, which it always does. */
	tokenSeconds: 300,
} as const;
