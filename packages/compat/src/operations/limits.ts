/** The bounds of tools that work through operations of an extension, each with its reason. */
export const limits = {
	/** Names of one directory, as many as pi shows. */
	entries: 500,
	/** Paths that a search finds, as many as pi shows. */
	paths: 1000,
	/** Matches, as many as pi shows. */
	matches: 100,
	/** What is longer than this on one line is no source that a person wrote. */
	lineChars: 500,
	/** Pixels of the longer side of a picture, as many as pi sends. */
	imageSide: 2000,
	/** Of a picture as base64: what the strictest provider takes. */
	imageBase64Bytes: 4.5 * 1024 * 1024,
	/** All kinds of pictures are known by their beginning. */
	imageHeadBytes: 64 * 1024,
} as const;
