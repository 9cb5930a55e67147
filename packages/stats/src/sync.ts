/** Brings the index up to date: reads what files have that it does not know yet. */
import { closeSync, openSync } from "node:fs";

import { errorText, log } from "@tau/utils";

import { Names } from "./index/names.ts";
import type { OpenIndex } from "./index/database.ts";
import { Tally } from "./index/tally.ts";
import { limits } from "./limits.ts";
import type { Scanned } from "./scan/scanner.ts";
import { findFiles, type FoundFile, type Root } from "./scan/find-files.ts";

export interface SyncResult {
	/** Answers that were not known before. */
	processed: number;
	/** Files that were read. */
	files: number;
}

export interface SyncProgress {
	files: number;
	allFiles: number;
	bytes: number;
	allBytes: number;
}

interface FileRow {
	size: number;
	mtime: number;
	offset: number;
	last: number;
	state: string | null;
}

/**
 * Any number of processes may do this at once: a batch is one transaction, which looks up again where each file was left. Throws what SQLite
 * says about a damaged index.
 */
export async function sync(
	{ database }: OpenIndex,
	roots: readonly Root[],
	{ onProgress, signal }: { onProgress?: (progress: SyncProgress) => void; signal?: AbortSignal } = {},
): Promise<SyncResult> {
	const changed = changedFiles({ database }, roots);
	const progress = { files: 0, allFiles: changed.length, bytes: 0, allBytes: bytesOf(changed) };
	const result = { processed: 0, files: 0 };
	const names = new Names(database);
	const tally = new Tally(database, names);
	const stored = database.query<FileRow, [string]>(
		"SELECT size, mtime, offset, last, state FROM files WHERE path = ?",
	);
	const put = database.query("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?)");
	const read: { found: FoundFile; next: Scanned }[] = [];
	const readBatch = (files: Iterator<FoundFile>): boolean => {
		for (let bytes = 0; bytes < limits.batchBytes && tally.size < limits.batchAnswers;) {
			const { value: found, done } = files.next();
			if (done) return false;
			const row = stored.get(found.path) ?? undefined;
			progress.files++;
			if (row && !isChanged(found, row)) continue;
			const next = readFile(found, row, tally);
			bytes += found.size - (row?.offset ?? 0);
			progress.bytes += found.size - (row?.offset ?? 0);
			result.files++;
			read.push({ found, next });
			onProgress?.(progress);
		}
		return true;
	};
	const files = changed.values();
	let collectedAt = 0;
	const addBatch = database.transaction((): boolean => {
		const hasMore = readBatch(files);
		result.processed += tally.flush();
		for (const { found, next } of read.splice(0)) {
			const { offset, last, state = null, session = "" } = next;
			const mtime = next.isOpen ? 0 : found.mtimeMs;
			put.run(found.path, found.size, mtime, offset, last, state, tally.numberOf(session));
		}
		tally.clear();
		if (!hasMore) tally.writeRecent();
		return hasMore;
	});
	while (changed.length > 0) {
		signal?.throwIfAborted();
		if (!addBatch.immediate()) break;
		if (progress.bytes - collectedAt >= limits.garbageBytes) {
			// The engine would let twice the memory fill up with the ends of lines.
			Bun.gc(true);
			collectedAt = progress.bytes;
		}
		// Others may want to write, and the user to interrupt.
		await Bun.sleep(0);
	}
	return result;
}

/**
 * Tested by their size and time alone; nothing is read. In the order of the roots, and in that of their names, which is that of their
 * times.
 */
function changedFiles({ database }: Pick<OpenIndex, "database">, roots: readonly Root[]): FoundFile[] {
	const rows = database.query("SELECT path, size, mtime FROM files").values() as [string, number, number][];
	const known = new Map(rows.map((row) => [row[0], row]));
	const changed: FoundFile[] = [];
	findFiles(roots, (found) => {
		const row = known.get(found.path);
		if (!row || isChanged(found, { size: row[1], mtime: row[2] })) changed.push(found);
	});
	const order = new Map(roots.map((root, at) => [root, at]));
	return changed.toSorted(
		(a, b) => (order.get(a.root) ?? 0) - (order.get(b.root) ?? 0) || (a.path < b.path ? -1 : 1),
	);
}

function isChanged({ size, mtimeMs }: FoundFile, row: Pick<FileRow, "size" | "mtime">): boolean {
	return size !== row.size || mtimeMs !== row.mtime;
}

function bytesOf(files: readonly FoundFile[]): number {
	return files.reduce((sum, { size }) => sum + size, 0);
}

/** A file that cannot be read counts as read: it is tried again when it changes. */
function readFile(found: FoundFile, row: FileRow | undefined, tally: Tally): Scanned {
	const { path, size, mtimeMs, root } = found;
	// A file that shrank is another one: it is read anew, and what was counted of it stays counted.
	const from = row && root.isAppended && size >= row.offset ? row.offset : 0;
	const before: Scanned = { offset: from, last: row?.last ?? 0, state: row?.state ?? undefined };
	let file: number | undefined;
	try {
		file = openSync(path, "r");
		return root.scan(
			{ path, file, from, size, mtimeMs, state: row?.state ?? null, last: before.last },
			tally,
		);
	} catch (error) {
		log.warn("a file has no readable usage", { path, reason: errorText(error) });
		return before;
	} finally {
		if (file !== undefined) closeSync(file);
	}
}
