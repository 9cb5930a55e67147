/** The bounds of walking and scanning, each with its reason. */
export const limits = {
	/** Entries of one scan, about 200 MB: more is a whole disk, and whoever asks is told to name a smaller root. */
	entries: 1_000_000,
	/** Directories that are read side by side: as many as the thread pool has threads for, and some that wait. */
	directoriesAtOnce: 32,
	/** A directory tree that takes longer lies on a dead network disk. */
	timeoutMs: 60_000,
	/** An ignore file is some kilobytes long; what is longer is not read, so that it cannot stall every scan. */
	ignoreFileBytes: 1024 * 1024,
	/** How long a scan is good for (`FS_SCAN_CACHE_TTL_MS`); the spec's figure. */
	cacheTtlMs: 1000,
	/** A scan older than this is made again before "nothing found" is said (`FS_SCAN_EMPTY_RECHECK_MS`). */
	emptyRecheckMs: 200,
	/** Scans that are kept, oldest out first (`FS_SCAN_CACHE_MAX_ENTRIES`). */
	cacheScans: 16,
	/** Longer than any glob that a person or a model means. */
	globChars: 4096,
} as const;
