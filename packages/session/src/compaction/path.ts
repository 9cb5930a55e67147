/** Finds the input of a compaction: the entries that the model still sees, and the previous compaction. */
import type { Piece } from "@tau/agent";

import {
	messageOf,
	type CompactionEntry,
	type EntryHead,
	type SessionEntry,
	type SessionManager,
} from "@tau/log";

export interface CompactionPath {
	sessionId: string;
	/** The entry that the compaction follows. */
	leafId: string | null;
	/** A failed answer at the end of the path, which is not part of the input. */
	failedId?: string;
	pieces: Piece[];
	previous?: CompactionEntry;
}

export interface PathOptions {
	/** A failed answer at the end of the path is left out. */
	withoutFailure?: boolean;
	/** Compactions that cannot be built upon are looked through, to what they have replaced. All can if absent. */
	isUsable?(compaction: CompactionEntry): boolean;
}

export function compactionPath(
	log: SessionManager,
	{ withoutFailure = false, isUsable = () => true }: PathOptions = {},
): CompactionPath {
	const leaf = log.getLeafEntry();
	const failed = withoutFailure && leaf && isFailedAnswer(leaf) ? leaf : undefined;
	const leafId = failed ? failed.parentId : log.getLeafId();
	const { entries, previous } = visible(log, leafId, isUsable);
	return {
		sessionId: log.getSessionId(),
		leafId,
		...(failed ? { failedId: failed.id } : {}),
		pieces: piecesOf(entries),
		...(previous ? { previous } : {}),
	};
}

export function piecesOf(entries: readonly SessionEntry[]): Piece[] {
	const edits = new Map(
		entries.flatMap((entry) => (entry.type === "context_edit" ? [[entry.targetId, entry]] : [])),
	);
	return entries.map((entry) => {
		const [message] = messageOf(entry, edits.get(entry.id));
		return { id: entry.id, ...(message ? { message } : {}) };
	});
}

/** Whether the entry is still on the current branch. */
export function isOnBranch(log: SessionManager, id: string | null): boolean {
	return id === null || Array.from(upwards(log, log.getLeafId()), (head) => head.id).includes(id);
}

/** Reads from the leaf back to the first entry that the last compaction retained, to a reset, or to the root. */
function visible(
	log: SessionManager,
	leafId: string | null,
	isUsable: (compaction: CompactionEntry) => boolean,
): { entries: SessionEntry[]; previous: CompactionEntry | undefined } {
	const newestFirst: SessionEntry[] = [];
	let previous: CompactionEntry | undefined;
	let sinceCompaction = 0;
	for (const { id, type } of upwards(log, leafId)) {
		if (type === "reset_boundary") break;
		const entry = log.getEntry(id);
		if (!entry) break;
		if (entry.type === "compaction" && !previous && isUsable(entry)) {
			previous = entry;
			sinceCompaction = newestFirst.length;
		}
		newestFirst.push(entry);
		if (previous && id === previous.firstKeptEntryId) return { entries: newestFirst.toReversed(), previous };
	}
	// A compaction whose first retained entry is missing has retained nothing.
	const seen = previous ? newestFirst.slice(0, sinceCompaction) : newestFirst;
	return { entries: seen.toReversed(), previous };
}

/** From an entry to the root. */
export function* upwards(log: SessionManager, from: string | null): Generator<Readonly<EntryHead>> {
	const heads = new Map(log.getHeads().map((head) => [head.id, head]));
	for (let head = heads.get(from ?? ""); head; head = heads.get(head.parentId ?? "")) yield head;
}

function isFailedAnswer(entry: SessionEntry): boolean {
	return (
		entry.type === "message" && entry.message.role === "assistant" && entry.message.stopReason === "error"
	);
}
