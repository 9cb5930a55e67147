/** The bounds of the search for AWS credentials, each with its reason. */
export const limits = {
	/** A container's agent answers within a second or not at all. */
	askMs: 10_000,
	/** The metadata service is on the machine itself; elsewhere nobody answers, and the user waits for nothing. */
	metadataMs: 1_000,
	/** The AWS CLI takes about a second; a login or a credential program behind it may wait for its user. */
	cliMs: 60_000,
	/** What is quoted of the CLI's error message. */
	reasonChars: 400,
	/** Credentials are some 2 KB with their token. */
	answerBytes: 64 * 1024,
	/** A container's token is some 1 KB. */
	fileBytes: 64 * 1024,
	/** Renewed this long before they expire, so that no request is under way when they do. */
	renewBeforeMs: 5 * 60 * 1000,
	/** Credentials without an end are asked for again after this time, because their owner may have changed them. */
	keepMs: 15 * 60 * 1000,
} as const;
