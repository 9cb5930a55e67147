/** The bounds of walking and scanning, each with its reason. */
export const limits = {
	/** Entries of one scan, about 200 MB: more is a whole disk, and the caller has to name a smaller root. */
	entries: 1_000_000,
	/** Directories that are read concurrently: as many as the thread pool has threads for, and some that wait. */
	directoriesAtOnce: 32,
	/** A directory tree that takes longer is on a dead network disk. */
	timeoutMs: 60_000,
	/** An ignore file has some kilobytes; a longer one is not read, so that it cannot stall every scan. */
	ignoreFileBytes: 1024 * 1024,
	/** How long a scan is valid (`FS_SCAN_CACHE_TTL_MS`); the spec's figure. */
	cacheTtlMs: 1000,
	/** A scan older than this is repeated before an empty result (`FS_SCAN_EMPTY_RECHECK_MS`). */
	emptyRecheckMs: 200,
	/** Cached scans; the oldest is evicted first (`FS_SCAN_CACHE_MAX_ENTRIES`). */
	cacheScans: 16,
	/** Links on the way to a file, as in the kernel. */
	linkSteps: 40,
	/** Longer than any glob that a user or a model writes on purpose. */
	globChars: 4096,
} as const;
