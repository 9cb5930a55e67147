/** The bounds of work that an extension's operations do, each with its reason. */
export const limits = {
	/** Paths that a search by name is asked for at most, as many as pi asks for. */
	paths: 1000,
	/** Pixels of the longer side of a picture, as many as pi sends. */
	imageSide: 2000,
	/** Of a picture as base64: what the strictest provider takes. */
	imageBase64Bytes: 4.5 * 1024 * 1024,
	/** All kinds of pictures are known by their beginning. */
	imageHeadBytes: 64 * 1024,
} as const;
