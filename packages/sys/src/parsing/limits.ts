/** What each kind of parsing may take, each with its reason. */
const megabyte = 1024 * 1024;

export const limits = {
	/** 200 pages of a large PDF take 3 s and 200 MB; the text is bounded by `documentChars`. */
	document: { ms: 20_000, memoryBytes: 768 * megabyte, answerBytes: 16 * megabyte },
	/** An archive of 256 MB is held twice, packed and unpacked, and an entry of it once more. */
	archive: { ms: 20_000, memoryBytes: 1024 * megabyte, answerBytes: 80 * megabyte },
	/** Adding to an archive returns the whole of it. */
	archiveAdd: { ms: 30_000, memoryBytes: 1536 * megabyte, answerBytes: 300 * megabyte },
	/** 64 million pixels are 256 MB, and are there twice while they are scaled. */
	image: { ms: 20_000, memoryBytes: 1024 * megabyte, answerBytes: 16 * megabyte },
	/** A page of one megabyte takes a second and 200 MB. */
	page: { ms: 10_000, memoryBytes: 768 * megabyte, answerBytes: 32 * megabyte },
	/** Sorting a large table needs memory; rows and cells are cut in the process itself. */
	database: { ms: 10_000, memoryBytes: 512 * megabyte, answerBytes: 16 * megabyte },
	/**
	 * A smaller image is decoded in our own process, on a thread of the runtime: 2,000 x 2,000 pixels take 16 MB and
	 * 60 ms.
	 */
	smallImagePixels: 4_000_000,
	smallImageBytes: 4 * megabyte,
	/** Shorter pages are converted in our own process: 64 KB take 20 ms at most. */
	smallPageChars: 32 * 1024,
} as const;
