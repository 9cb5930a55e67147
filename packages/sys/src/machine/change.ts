/** Changes of files: as a tool plans them, and as a commit reports them. */
import type { AbsentFile, TextFile } from "./text-file.ts";

export interface FileChange {
	/** The file as it was when the change was planned. */
	readonly before: TextFile | AbsentFile;
	/** The new content; without it the file is deleted. */
	readonly after?: NewContent;
	/** The `target` of the file that moves here; its deletion is a change of the same commit. */
	readonly renamedFrom?: string;
}

export interface NewContent {
	readonly text: string;
	readonly hasBom: boolean;
	/** Written instead of `text`, for files that are not text. */
	readonly bytes?: Uint8Array;
	/** Permissions of a file that does not exist yet; the process's usual ones without it. */
	readonly mode?: number;
	readonly executable?: boolean;
	/** Gives `mode` to a file that exists as well. */
	readonly setMode?: boolean;
	/** Makes a symbolic link instead of a file. */
	readonly linkTarget?: string;
}

/** What identifies one state of a file. */
export interface FileState {
	/** Of the content, without a byte order mark. */
	readonly hash: string;
	/** Characters of a text, bytes of anything else. */
	readonly size: number;
}

/** One file that a commit has changed. */
export interface CommittedChange {
	/** The real path, behind all links. */
	readonly path: string;
	readonly kind: "created" | "changed" | "deleted" | "renamed";
	readonly renamedFrom?: string;
	/** Absent for a file that did not exist before. */
	readonly before?: FileState;
	/** Absent for a deleted file. */
	readonly after?: FileState;
}

/** Who made a change. */
export interface ChangeOrigin {
	readonly toolCallId?: string | undefined;
}

/** The effects of a successful commit of these changes; a moved file is one change. */
export function committedChanges(changes: readonly FileChange[]): CommittedChange[] {
	const sources = new Map(changes.map((change) => [change.before.target, change]));
	const moved = new Set(changes.flatMap(({ renamedFrom }) => renamedFrom ?? []));
	return changes.flatMap((change): CommittedChange[] => {
		const { before, after, renamedFrom } = change;
		if (!after && moved.has(before.target)) return [];
		const source = renamedFrom === undefined ? undefined : sources.get(renamedFrom);
		const old = stateBefore((source ?? change).before);
		return [
			{
				path: before.target,
				kind: renamedFrom !== undefined ? "renamed" : !after ? "deleted" : old ? "changed" : "created",
				...(renamedFrom === undefined ? {} : { renamedFrom }),
				...(old ? { before: old } : {}),
				...(after ? { after: stateOf(after.linkTarget ?? after.bytes ?? after.text) } : {}),
			},
		];
	});
}

function stateBefore(file: TextFile | AbsentFile): FileState | undefined {
	return file.text === undefined ? undefined : stateOf(file.text);
}

/** Not cryptographic: it only distinguishes states of one file, and takes 0.1 ms per megabyte. */
function stateOf(content: string | Uint8Array): FileState {
	return { hash: Bun.hash.xxHash3(content).toString(16), size: content.length };
}
