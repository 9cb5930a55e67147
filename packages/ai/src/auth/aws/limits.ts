/** The bounds of the search for AWS credentials, each with its reason. */
export const limits = {
	/** STS, the SSO portal and a container's agent answer within a second or not at all. */
	askMs: 10_000,
	/** The metadata service is on the machine itself; elsewhere nobody answers, and the user waits for nothing. */
	metadataMs: 1_000,
	/** A `credential_process` may ask its user for a code. */
	processMs: 60_000,
	/** Credentials are some 2 KB with their token. */
	answerBytes: 64 * 1024,
	/** Files of profiles and tokens; hundreds of profiles are some 100 KB. */
	fileBytes: 1024 * 1024,
	/** Renewed this long before they expire, so that no request is under way when they do. */
	renewBeforeMs: 5 * 60 * 1000,
	/** A profile may stand on another one; further than this is a mistake. */
	profileDepth: 8,
	/** Credentials kept at once, one for each environment that was asked from. */
	kept: 8,
	/** STS takes 64 characters of a session's name. */
	sessionNameChars: 64,
} as const;
