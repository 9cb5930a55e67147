/** The bounds of cassettes. */
export const limits = {
	/** The version of the format that this program writes, and the newest that it reads. */
	version: 1,
	/** A larger file is not read: a session of 46 MB makes one of about 6 MB. */
	fileBytes: 64 * 1024 * 1024,
	/** What a file may unpack to: a few kilobytes could otherwise fill the memory. */
	unpackedBytes: 256 * 1024 * 1024,
	/** Lines of a cassette, at most. */
	lines: 500_000,
	/** Raw streams that a recording keeps; of later answers it keeps the messages alone. */
	streamBytes: 128 * 1024 * 1024,
	/** Requests that a recording keeps. */
	exchanges: 20_000,
	/** Recordings that a miss is compared with, latest first. */
	compared: 200,
	/** Characters of a value in a report of a difference. */
	shownChars: 160,
	/** Characters before a difference that a report of it shows. */
	leadChars: 40,
	/** The longest pause that a player makes of the time that the user was away. */
	pauseMs: 3000,
	/** Differences in a report. */
	differences: 1000,
} as const;
