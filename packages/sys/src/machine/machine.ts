/** The machine that tools work on: its files and its processes, wherever it is. */
import type { FuzzyPath } from "../fuzzy/index.ts";
import type { PtyCommand, PtySession } from "../pty/index.ts";
import type { OnSearchEvent, SearchOptions, SearchOutcome } from "../search/index.ts";
import type {
	ProgramStart,
	RunningProgram,
	ShellCommand,
	ShellOutcome,
	ShellSession,
} from "../shell/index.ts";
import type { DirectoryEntry, EntryKind, FuzzyFindOptions, GlobOptions, GlobResult } from "../walk/index.ts";
import type { ChangeOrigin, FileChange } from "./change.ts";
import type { Committed } from "./commit.ts";
import type { FileProblem } from "./problem.ts";
import type { AbsentFile, TextFile } from "./text-file.ts";

/** A machine, its files and its shell are plain objects without `this`: decorators copy their members. */
export interface Machine {
	readonly where: MachineLocation;
	readonly files: MachineFiles;
	readonly shell: MachineShell;
}

export interface MachineLocation {
	readonly kind: "local" | "sandbox" | "ssh" | "container" | "client";
	/** For users and error messages: `this machine`, `build.example.org`. */
	readonly label: string;
}

/** Paths are absolute. A rejection carries the system's `code` (`EACCES`, `ENOTDIR`, …) where there is one. */
export interface MachineFiles {
	/** Follows links. Undefined when nothing has this name (`ENOENT`); rejects on any other failure. */
	stat(path: string): Promise<FileFacts | undefined>;
	/** The same for a link itself, with the path that it holds. */
	lstat(path: string): Promise<(FileFacts & { readonly linkTarget?: string }) | undefined>;
	/** With every link resolved; rejects when nothing has this name. */
	realpath(path: string): Promise<string>;
	/** Undefined if it is not a regular file; rejects if it cannot be opened. */
	open(path: string, signal: AbortSignal): Promise<OpenedFile | undefined>;
	/** The whole file or a range of it; rejects with `EFBIG` when that has more than `maxBytes`. */
	read(path: string, options: ReadOptions): Promise<Uint8Array>;
	/** Sorted by name. */
	list(path: string): Promise<DirectoryEntry[]>;
	/** Rejects with a `GlobError` for an invalid pattern. */
	glob(options: MachineGlobOptions): Promise<GlobResult>;
	/** Paths that resemble a query, best first. */
	fuzzyFind(options: FuzzyFindOptions): Promise<FuzzyPath[]>;
	search(options: SearchOptions, onEvent: OnSearchEvent): Promise<SearchOutcome>;
	/** A text file with the properties that a change must preserve. `shown` is its path in messages. */
	readText(shown: string, path: string): Promise<TextFile | AbsentFile | FileProblem>;
	/** A file that is to be deleted: the name itself, even if it is a link, with any content. */
	readEntry(shown: string, path: string): Promise<TextFile | FileProblem>;
	/**
	 * Makes all changes or none, and creates missing directories. A file that another writer changed after it was
	 * read is never overwritten: the outcome is the problem `changed`.
	 */
	commit(changes: readonly FileChange[], options: CommitOptions): Promise<Committed>;
	/** Reports a change that was not made by `commit`: by a command, which may have changed any file, or at one path. */
	noteChange(origin: ChangeOrigin, path?: string): void;
	/** The path under which programs of this process can open the file; undefined where there is none. */
	localPath(path: string): string | undefined;
	/**
	 * The same files for paths without links, as `realpath` returns them. A path that has become a link meanwhile, or in
	 * which one has appeared, is refused (`EMOVED`, the problem `moved`): nothing behind it is read or changed.
	 */
	unlinked(): MachineFiles;
}

export interface FileFacts {
	readonly kind: EntryKind;
	readonly size: number;
	readonly mtimeMs: number;
}

export interface OpenedFile extends AsyncDisposable {
	/** As the file system reports it. Files of the kernel report 0, and a log grows while it is read. */
	readonly size: number;
	/** The content type, if the machine knows it better than the first bytes show. */
	readonly mimeType?: string;
	/** Fills the buffer from a position; fewer bytes than fit mean the end of the file. */
	readInto(into: Uint8Array, position: number): Promise<number>;
	/**
	 * How many lines and bytes the first `most` lines have, and how many lines the file has if `countAll` is set, where the
	 * machine counts faster than the file can be read. Undefined if it could not.
	 */
	countLines?(most: number, countAll: boolean): Promise<CountedLines | undefined>;
}

export interface CountedLines {
	readonly lines: number;
	readonly bytes: number;
	readonly total?: number;
}

export interface ReadOptions {
	readonly signal: AbortSignal;
	readonly maxBytes: number;
	readonly range?: { readonly start: number; readonly end: number };
}

export interface MachineGlobOptions extends GlobOptions {
	/** How many matches the caller can show. A machine that is slow to list may stop there. */
	readonly wanted?: number;
}

export interface CommitOptions extends ChangeOrigin {
	readonly signal: AbortSignal;
	/** Called for each change that the system denies; returns true if it made the change in another way. */
	readonly whenDenied?: DeniedHandler;
}

export type DeniedHandler = (change: FileChange, cause: unknown) => Promise<boolean>;

export interface MachineShell {
	/** A shell that keeps its directory and variables between commands. */
	session(options: MachineShellOptions): MachineShellSession;
	/** A terminal for one command at a time. */
	pty(): MachineTerminal;
	/** Runs one command in a new shell. */
	run(command: ShellCommand): Promise<ShellOutcome>;
	/**
	 * Starts a program whose input and outputs stay open, such as a language server. Rejects with a readable reason
	 * when it cannot be started.
	 */
	start(program: ProgramStart): Promise<RunningProgram>;
	/**
	 * What contains a program that is started now: the same text means that it could do the same. Undefined where that
	 * cannot be compared with other sessions.
	 */
	boundary?(): Promise<string | undefined>;
}

export interface MachineShellOptions {
	readonly cwd: string;
	readonly env: Record<string, string>;
	/** The path of the bash to use; by default the one on PATH. */
	readonly program?: string;
	/** With it the shell has the functions and aliases of the user's rc files, which are cached here. */
	readonly rcCacheDir?: string;
}

export type MachineShellSession = Pick<ShellSession, "cwd" | "busy" | "run" | "leave"> &
	Partial<Pick<ShellSession, "hasLeftovers" | "prepare" | "searchPath">> &
	AsyncDisposable;

export interface MachineTerminal extends Pick<PtySession, "running" | "write" | "resize"> {
	start(command: PtyCommand): Promise<ShellOutcome>;
	/** False where commands get what the machine has instead of a terminal. */
	readonly takesKeys?: boolean;
}
