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
	inheritedGitEnvironment,
	readHead,
	runGit,
	type GitFailure,
	type GitHead,
	type GitOutcome,
	type GitRepository,
	type GitRequest,
} from "./git/index.ts";
export type { HtmlMarkdown, HtmlOptions } from "./html/index.ts";
export {
	identifyImage,
	type FittedImage,
	type ImageInfo,
	type ImageLimits,
	type ImageRefusal,
	type ImageType,
} from "./images/index.ts";
export {
	changedMeanwhile,
	committedChanges,
	existing,
	FileFallbacks,
	localMachine,
	lockFiles,
	problem,
	systemProblem,
	textFileOf,
	withFallback,
	withHiddenFiles,
	withObserver,
	type AbsentFile,
	type ChangeObserver,
	type ChangeOrigin,
	type CommitOptions,
	type Committed,
	type CommittedChange,
	type DeniedDelete,
	type DeniedWrite,
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
export type { EnterTree, IsolatedTree, IsolationMode, MergeOutcome, TreeChanges } from "./isolation/index.ts";
export {
	addToArchive,
	documentText,
	fitImage,
	htmlToMarkdown,
	listArchive,
	queryDatabase,
	readArchiveEntry,
} from "./parsing/index.ts";
export { killTree, listDescendants } from "./process/index.ts";
export { PtySession, type PtyCommand } from "./pty/index.ts";
export {
	containerKind,
	findDenials,
	LandlockSandbox,
	PrivateTemporary,
	projectProfile,
	registryOf,
	runsLater,
	Sandbox,
	knownSupport,
	sandboxSupport,
	SeatbeltSandbox,
	withSandbox,
	type CommandSandbox,
	type Denial,
	type SandboxProfile,
	type SandboxSupport,
} from "./sandbox/index.ts";
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
	ShellSession,
	type ProgramRun,
	type RcOptions,
	type SessionCommand,
	type SessionOutcome,
	type CurrentLauncher,
	type ShellCommand,
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
export { loadableLibrary, systemInfo, type SystemInfo } from "./system/index.ts";
export {
	compileGlob,
	fuzzyFind,
	glob,
	GlobError,
	invalidateScans,
	isGitIgnored,
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
	Pen,
	sliceByColumn,
	stripAnsi,
	truncateToWidth,
	visibleWidth,
	wrapTextWithAnsi,
	type Grapheme,
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
