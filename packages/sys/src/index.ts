/** The machine: running commands and owning the processes that they start. */
export { fuzzyFilter, fuzzyMatch, fuzzyPaths, type FuzzyMatch, type FuzzyPath } from "./fuzzy/index.ts";
export {
	archiveKind,
	listArchive,
	readArchiveEntry,
	writeArchiveEntry,
	type ArchiveEntry,
	type ArchiveKind,
	type ArchiveProblem,
	type ArchiveRefusal,
} from "./archives/index.ts";
export {
	fitImage,
	identifyImage,
	type FittedImage,
	type ImageInfo,
	type ImageLimits,
	type ImageRefusal,
	type ImageType,
} from "./images/index.ts";
export { killTree, listDescendants } from "./process/index.ts";
export {
	search,
	type FoundLine,
	type OnSearchEvent,
	type Range,
	type SearchEvent,
	type SearchOptions,
	type SearchOutcome,
} from "./search/index.ts";
export {
	commandEnvironment,
	OutputTail,
	runShell,
	type ShellCommand,
	type ShellOutcome,
} from "./shell/index.ts";
export {
	compileGlob,
	fuzzyFind,
	glob,
	GlobError,
	invalidateScans,
	listDirectory,
	splitGlob,
	type DirectoryEntry,
	type EntryKind,
	type FuzzyFindOptions,
	type GlobOptions,
	type GlobResult,
	type PathMatcher,
	type ScanEntry,
	type ScanOptions,
} from "./walk/index.ts";
export {
	expandTabs,
	graphemes,
	sliceByColumn,
	stripAnsi,
	truncateToWidth,
	visibleWidth,
	wrapTextWithAnsi,
	type Grapheme,
} from "./text/index.ts";
