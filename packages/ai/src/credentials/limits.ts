/** The bounds of credentials and logins, each with its reason. */
export const limits = {
	/** Writers hold the file for milliseconds; after this wait, the lock will never be released. */
	busyMs: 5_000,
	/** A token is renewed this long before it expires: a request that starts now must not arrive after its end. */
	renewEarlyMs: 60_000,
	/** One request to an OAuth server, which responds at once or is not there. */
	requestMs: 30_000,
	/** Longer than a renewal can take, so that only the lease of a process that died is taken over. */
	leaseMs: 45_000,
	/** How often a process checks whether another has renewed the token that it waits for. */
	leasePollMs: 100,
	/** How long a credential rests after a 429 without a `retry-after`; doubled by each further one. */
	restMs: 30_000,
	restMaxMs: 15 * 60_000,
	/**
	 * The longest wait that a server may request: past a day it is a mistake, and the credential is worth another
	 * try.
	 */
	retryAfterMs: 24 * 60 * 60_000,
	/** More doublings change nothing, because `restMaxMs` is reached. */
	strikes: 16,
	/** After a month without a request, no cache of the session is left. */
	bindingMs: 30 * 24 * 60 * 60_000,
	/** How long a login in the browser may take: the user may have to find a password and a second factor. */
	loginMs: 10 * 60_000,
	/** RFC 8628: the default interval, and what `slow_down` adds. */
	devicePollMs: 5_000,
	slowDownMs: 5_000,
	/** The minimum interval, and the maximum wait, whatever the server requests. */
	devicePollFloorMs: 20,
	devicePollMaxMs: 60_000,
	/** A device code that is valid for longer is not waited for. */
	deviceCodeMs: 30 * 60_000,
	/** Google sets an account up within seconds; past this it is stuck, and the user should know. */
	onboardingMs: 3 * 60_000,
	/** How often Google's own client checks whether it is done. */
	onboardingPollMs: 5_000,
	/** Token answers contain a few tokens of some kilobytes each; a longer answer is invalid. */
	answerBytes: 256 * 1024,
	/** A redirect URL or a code that was pasted by hand. */
	pasteChars: 16 * 1024,
	/** Longer than any key; longer input is another file by mistake. */
	keyChars: 16 * 1024,
} as const;
