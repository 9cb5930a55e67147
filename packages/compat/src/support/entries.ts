/** The lines of a session file as plain values, by pi's functions: parsed, migrated, turned into a context. */
import type { AgentMessage } from "@tau/agent";
import {
	buildContext,
	messageOf,
	sessionVersion,
	type CompactionEntry,
	type SessionEntry,
	type SessionHeader,
	compactionSummaryMessage,
	contextEntries,
	pathOf,
	projectionOf,
	type SessionProjection,
} from "@tau/log";
import { isRecord } from "@tau/utils";

export type FileEntry = SessionHeader | SessionEntry;

/** Invalid lines are skipped. */
export function parseSessionEntries(content: string): FileEntry[] {
	return content.split("\n").flatMap((line): FileEntry[] => {
		try {
			const value: unknown = JSON.parse(line);
			// The file is the authority on what its entries hold: readers narrow by type.
			return isRecord(value) && typeof value.type === "string" ? [value as unknown as FileEntry] : [];
		} catch {
			// A torn or empty line costs only itself.
			return [];
		}
	});
}

/** In place: ids and parents for the entries of version 1, the current role for the messages of hooks. */
export function migrateSessionEntries(entries: FileEntry[]): void {
	const header = entries.find((entry): entry is SessionHeader => entry.type === "session");
	if ((header?.version ?? 1) >= sessionVersion) return;
	let parentId: string | null = null;
	for (const [index, entry] of entries.entries()) {
		if (entry.type === "session") continue;
		const { id } = entry as Partial<SessionEntry>;
		entry.id = id ?? index.toString(16).padStart(8, "0");
		entry.parentId = id === undefined ? parentId : (entry.parentId ?? null);
		parentId = entry.id;
	}
	for (const entry of entries) modernise(entry, entries);
	if (header) header.version = sessionVersion;
}

function modernise(entry: FileEntry, all: readonly FileEntry[]): void {
	const loose = entry as unknown as Record<string, unknown>;
	if (entry.type === "message" && isRecord(loose.message) && loose.message.role === "hookMessage")
		loose.message.role = "custom";
	if (entry.type !== "compaction" || typeof loose.firstKeptEntryIndex !== "number") return;
	const fileEntry = all[loose.firstKeptEntryIndex];
	if (fileEntry && fileEntry.type !== "session") loose.firstKeptEntryId = fileEntry.id;
	delete loose.firstKeptEntryIndex;
}

export function getLatestCompactionEntry(entries: readonly SessionEntry[]): CompactionEntry | null {
	return entries.findLast((entry): entry is CompactionEntry => entry.type === "compaction") ?? null;
}

/** From the root to the leaf; without a leaf, to the last entry. */
function pathTo(entries: readonly SessionEntry[], leafId?: string | null): SessionEntry[] {
	const byId = new Map(entries.map((entry) => [entry.id, entry]));
	const path: SessionEntry[] = [];
	let at = leafId === undefined ? entries.at(-1) : byId.get(leafId ?? "");
	// A cycle of parents would never end.
	while (at && path.length <= entries.length) {
		path.push(at);
		at = byId.get(at.parentId ?? "");
	}
	return path.toReversed();
}

export function buildSessionContext(entries: readonly SessionEntry[], leafId?: string | null) {
	return buildContext(pathOf(pathTo(entries, leafId)));
}

export function buildContextEntries(
	entries: readonly SessionEntry[],
	leafId?: string | null,
): SessionEntry[] {
	return contextEntries(pathTo(entries, leafId));
}

/** What the model reads of one entry. */
export function sessionEntryToContextMessages(entry: SessionEntry): AgentMessage[] {
	return entry.type === "compaction" ? [compactionSummaryMessage(entry)] : messageOf(entry);
}

export function buildSessionProjection(
	entries: readonly SessionEntry[],
	leafId?: string | null,
): SessionProjection {
	return projectionOf(pathTo(entries, leafId));
}
