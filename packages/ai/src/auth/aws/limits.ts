/** The bounds of the search for AWS credentials, each with its reason. */
export const limits = {
	/** A container's agent responds within a second or not at all. */
	askMs: 10_000,
	/** The metadata service is on the machine itself; elsewhere nothing responds, and the user would wait in vain. */
	metadataMs: 1_000,
	/** The AWS CLI takes about a second; a login or a credential program behind it may wait for its user. */
	cliMs: 60_000,
	/** Characters of the CLI's error message that are quoted. */
	reasonChars: 400,
	/** Credentials are some 2 KB with their token. */
	answerBytes: 64 * 1024,
	/** A container's token is some 1 KB. */
	fileBytes: 64 * 1024,
	/** Renewed this long before they expire, so that no request is active when they do. */
	renewBeforeMs: 5 * 60 * 1000,
	/** Credentials without an expiry are requested again after this time, because they may have changed. */
	keepMs: 15 * 60 * 1000,
} as const;
