/** Trees for agents that work side by side: a view of the project in which changes stay until they are merged. */
import type { Machine, ShellLauncher } from "@tau/sys";

/** `auto` is the first of `overlay`, `worktree` and `copy` that works here. */
export type IsolationMode = "none" | "overlay" | "worktree" | "copy" | "auto";

export type TreeMode = Exclude<IsolationMode, "auto" | "none">;

export interface IsolateOptions {
	/** The project: what is isolated. Absolute. */
	readonly root: string;
	/** Where the agent starts: the root, or a directory below. */
	readonly cwd: string;
	readonly mode: IsolationMode;
	/** Where trees are kept; they outlive this process. */
	readonly directory: string;
	/** Paths in the root that git ignores and builds need. A worktree gets copies of them; other trees have everything. */
	readonly include?: readonly string[];
	/** The same, as links to the project's own: fast, and shared. */
	readonly link?: readonly string[];
	/** Whether git may run in the project. Without it there is no worktree. */
	readonly isTrusted?: boolean;
	/** Why programs could not run in an overlay, which is not made then. */
	readonly overlayProblem?: string | undefined;
	/** For users: the agent that works there. */
	readonly label?: string;
	/** The content of a file when a time was, if the project's own has changed since; undefined if it is not known. */
	readonly contentAt?: ContentAt;
	readonly signal: AbortSignal;
}

export type ContentAt = (path: string, timeMs: number) => TreeEntry | undefined;

/** The state of one path. */
export type TreeEntry =
	| { readonly kind: "absent" }
	| { readonly kind: "file"; readonly bytes: Uint8Array; readonly mode: number }
	| { readonly kind: "link"; readonly target: string }
	/** A directory, a device, or a file that is too large to be merged. */
	| { readonly kind: "other"; readonly what: string };

export interface IsolatedTree extends AsyncDisposable {
	readonly id: string;
	readonly mode: TreeMode;
	/** Works in the tree, with the paths that commands there see. It has no sandbox of its own. */
	readonly machine: Machine;
	/** Where the agent starts, as its tools and commands see it. */
	readonly cwd: string;
	/** Where the tree is kept. */
	readonly directory: string;
	/** Why it is not a better kind of tree. */
	readonly reason?: string;
	/** The command line that enters the tree; what follows it runs inside. Undefined where the tree is a directory. */
	readonly enter?: EnterTree;
	changes(signal: AbortSignal): Promise<TreeChanges>;
	/** Brings the changes into the project, as one commit of the parent's machine. */
	merge(options: MergeOptions): Promise<MergeOutcome>;
}

export interface EnterTree {
	/** Before a program that makes its own namespaces, such as bubblewrap. */
	readonly namespaces: readonly string[];
	/** Starts any other program inside, as the user. */
	readonly launcher: ShellLauncher;
	/** The path under which this process sees what a program there sees at `path`. */
	hostPath(path: string): string;
}

export interface TreeChange {
	/** Relative to the root, with slashes. */
	readonly path: string;
	readonly kind: "created" | "changed" | "deleted" | "renamed";
	readonly renamedFrom?: string;
}

export interface TreeChanges {
	readonly files: readonly TreeChange[];
	/** True if there are more than a merge takes. */
	readonly isCut: boolean;
}

export interface MergeOptions {
	readonly signal: AbortSignal;
	readonly toolCallId?: string | undefined;
	/** Which of these files may not be merged, with the reasons, by path; asked once about each. All may by default. */
	refuse?(files: readonly MergedFile[]): Promise<ReadonlyMap<string, string>>;
}

/** A file of the project that a merge would write or delete. */
export interface MergedFile {
	/** Relative to the root. */
	readonly path: string;
	/** In the project. */
	readonly absolute: string;
	readonly before: TreeEntry;
	readonly after: TreeEntry;
}

export interface MergeConflict {
	readonly path: string;
	readonly reason: string;
	/** Both versions with the marks of git, where both are text. */
	readonly marked?: string;
}

/** Files without a conflict are merged even if others have one; those stay in the tree. */
export interface MergeOutcome {
	readonly merged: readonly TreeChange[];
	readonly conflicts: readonly MergeConflict[];
	/** What was not allowed; it stays in the tree, too. */
	readonly refused: readonly Pick<MergeConflict, "path" | "reason">[];
	/** Why nothing was merged. */
	readonly problem?: string;
}
