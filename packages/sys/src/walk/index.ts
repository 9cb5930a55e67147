/** The public interface of walking: scans that respect ignore files, globs, and fuzzy search in paths. */
export { listDirectory, listUnlinked, type DirectoryEntry } from "./directory.ts";
export { fuzzyFind, glob, type FuzzyFindOptions, type GlobOptions, type GlobResult } from "./find.ts";
export { followPath } from "./follow-path.ts";
export { isGitIgnored } from "./git-ignored.ts";
export { compileGlob, GlobError, splitGlob, type PathMatcher } from "./glob-pattern.ts";
export {
	checkUnlinked,
	HeldDirectory,
	heldStats,
	holdBytes,
	isOpenAt,
	openHeld,
	PathMoved,
	type HeldBytes,
} from "./held-path.ts";
export { isOpenedPath, realPath } from "./real-path.ts";
export { invalidateScans, type ScanOptions } from "./scan-cache.ts";
export type { EntryKind, ScanEntry } from "./walk.ts";
