/** The bounds of who is let in and of what is read from them, each with its reason. */
export const limits = {
	/** A link is opened at once: it was printed, or handed to a browser. */
	tokenMs: 10 * 60_000,
	/** Links that were not opened yet; the oldest is forgotten. */
	tokens: 16,
	/** Browsers that are let in; the one that was not seen for longest is forgotten. */
	logins: 32,
	/** A browser that was not seen for so long has to be let in again. */
	loginDays: 30,
	/** How often it is written down that a browser was seen. */
	seenMs: 60 * 60_000,
	/** Cookies of our name in one request: a browser has one, other servers of this machine may have set more. */
	cookies: 16,
	/** The body of a request in JSON: names, paths and subscriptions are short, a first prompt may be long. */
	jsonBytes: 1024 * 1024,
} as const;
