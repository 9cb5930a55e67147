/** The bounds of Google Cloud's authentication, each with its reason. */
export const limits = {
	/** A key file has some 2 KB; what is far larger is another file. */
	credentialsBytes: 256 * 1024,
	/** A token comes within a second; who waits longer than this had better know that something is wrong. */
	exchangeMs: 15_000,
	/** The metadata server is on the same machine; elsewhere nobody answers, and everybody waits for that. */
	metadataMs: 1_000,
	/** The answer of a token server has some 2 KB. */
	answerBytes: 64 * 1024,
	/** How long a signed request for a token is good: the most that Google takes. */
	assertionSeconds: 3600,
	/** Where the server does not say how long a token lives, which it always does. */
	tokenSeconds: 300,
} as const;
