/**
 * The public interface of @tau/sys: the operating system, running commands, and owning the processes that they start.
 */
export { fuzzyFilter, fuzzyMatch, fuzzyPaths, type FuzzyMatch, type FuzzyPath } from "./fuzzy/index.ts";
export {
	archiveKind,
	archiveLimits,
	type ArchiveEntry,
	type ArchiveKind,
	type ArchiveProblem,
	type ArchiveRefusal,
	type ArchiveSource,
} from "./archives/index.ts";
export {
	clipboardAdvice,
	clipboardPrograms,
	copyText,
	osc52Copy,
	readClipboardImage,
	readClipboardText,
	type ClipboardOptions,
	type ClipboardRefusal,
} from "./clipboard/index.ts";
export {
	documentKind,
	type DocumentKind,
	type DocumentOptions,
	type DocumentRefusal,
	type DocumentText,
} from "./documents/index.ts";
export {
	findRepository,
	gitDirectoryAt,
	GitIndex,
	convertsContents,
	isConverting,
	GitObjects,
	gitSettingsIn,
	HeadTree,
	inheritedGitEnvironment,
	readHead,
	runGit,
	type GitFailure,
	type GitHead,
	type GitOutcome,
	type GitPlace,
	type GitRepository,
	type GitRequest,
	type GitSetting,
	programsIn,
} from "./git/index.ts";
export type { HtmlMarkdown, HtmlOptions } from "./html/index.ts";
export {
	identifyImage,
	type ConvertedImage,
	type FittedImage,
	type ImageInfo,
	type ImageLimits,
	type ImageRefusal,
	type ImageTarget,
	type ImageType,
} from "./images/index.ts";
export {
	changedMeanwhile,
	committedChanges,
	encode,
	existing,
	FileFallbacks,
	layered,
	localMachine,
	localSession,
	lockFiles,
	problem,
	systemProblem,
	textFileOf,
	guardedBuffers,
	withBuffers,
	withFallback,
	withHiddenFiles,
	withJudged,
	withObserver,
	type AbsentFile,
	type ChangeObserver,
	type ChangeOrigin,
	type CommitOptions,
	type Committed,
	type CommittedChange,
	type DeniedDelete,
	type DeniedWrite,
	type EditorBuffers,
	type FileChange,
	type FileFacts,
	type FileProblem,
	type FileState,
	type Machine,
	type MachineFiles,
	type MachineGlobOptions,
	type MachineShell,
	type MachineShellSession,
	type MachineTerminal,
	type NewContent,
	type OpenedFile,
	type TextFile,
} from "./machine/index.ts";
export {
	addToArchive,
	documentText,
	convertImage,
	fitImage,
	htmlToMarkdown,
	listArchive,
	queryDatabase,
	readArchiveEntry,
} from "./parsing/index.ts";
export { killTree, listDescendants, residentBytes } from "./process/index.ts";
export { PtySession, TerminalScreen, type PtyCommand, type TerminalSize } from "./pty/index.ts";
export {
	search,
	type MatchedLine,
	type OnSearchEvent,
	type Range,
	type SearchEvent,
	type SearchOptions,
	type SearchOutcome,
} from "./search/index.ts";
export {
	commandEnvironment,
	endAll,
	OutputTail,
	ownedEnvironment,
	rcSnapshot,
	runProgram,
	runShell,
	shellQuote,
	ShownOutput,
	ShellSession,
	type ProgramRun,
	type RcOptions,
	type SessionCommand,
	type SessionOutcome,
	type CurrentLauncher,
	type ShellCommand,
	type ProgramEnd,
	type ProgramStart,
	type RunningProgram,
	type ShellOutcome,
	type ShellSessionOptions,
} from "./shell/index.ts";
export {
	changeRow,
	type DatabaseAnswer,
	type DatabaseFile,
	type DatabaseQuestion,
	type RowTarget,
	type TableFacts,
} from "./sqlite/index.ts";
export {
	connectLocally,
	listenLocally,
	ownNetworks,
	sweepSockets,
	loadableLibrary,
	systemInfo,
	type SystemInfo,
} from "./system/index.ts";
export {
	compileGlob,
	fuzzyFind,
	glob,
	GlobError,
	holdBytes,
	invalidateScans,
	isGitIgnored,
	listDirectory,
	openHeld,
	PathMoved,
	splitGlob,
	type DirectoryEntry,
	type EntryKind,
	type FuzzyFindOptions,
	type GlobOptions,
	type GlobResult,
	type HeldBytes,
	type PathMatcher,
	type ScanEntry,
	type ScanOptions,
} from "./walk/index.ts";
export {
	expandTabs,
	graphemes,
	plainStyle,
	sliceByColumn,
	stripAnsi,
	truncateToWidth,
	visibleWidth,
	wrapTextWithAnsi,
	type Grapheme,
	type Style,
} from "./text/index.ts";
export {
	serveTasks,
	WorkerPool,
	WorkerStopped,
	type TaskLimits,
	type TaskOptions,
	type Tasks,
	type WorkerProgram,
} from "./worker/index.ts";
export { scanTree, TreeWatch, type TreeEvent, type TreeRules } from "./watch/index.ts";
export type { MachineShellOptions, ReadOptions } from "./machine/index.ts";
export { childSocket, listProcesses, processesIn, type InsideProcess } from "./process/index.ts";
export { type RunningSearch, searchWith } from "./search/index.ts";
export {
	findOwn,
	type Launch,
	type LaunchOptions,
	readWritten,
	type ShellLauncher,
	ShellRoom,
	standardPath,
	startProgram,
} from "./shell/index.ts";
export {
	adoptsOrphans,
	endScope,
	forgetScope,
	newScope,
	ownShell,
	reviveWatcher,
	shellEnded,
	withMark,
	withMarkAlone,
} from "./shell/owned.ts";
export { ownRoom } from "./shell/pipe-room.ts";
export { IgnoreRules } from "./walk/ignore-rules.ts";
export { followPath, HeldDirectory } from "./walk/index.ts";
export { workerCommand, workerVariable } from "./worker/index.ts";
