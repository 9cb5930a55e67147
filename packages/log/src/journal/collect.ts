/** Removes the oldest contents of changed files where they take more space than they may. */
import { rmSync, statSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";

import { livingOwner, log } from "@tau/utils";

import { baselineFolder, sessionSuffix } from "../log/file/paths.ts";
import { segmentsIn } from "./image-store.ts";

/** Relative to the directory of a session's outputs. */
export const rewindFolder = "rewind";

/** All sessions together may take this many times what one may. */
export const allSessionsFactor = 5;

/** Removes segments of one session, the oldest first, as far as they can be vacated. Returns whether any was removed. */
export function trimSession(
	directory: string,
	maxBytes: number,
	vacate: (segment: string) => boolean,
): boolean {
	const segments = segmentsIn(directory).map((name) => ({ name, bytes: sizeOf(join(directory, name)) }));
	let total = segments.reduce((sum, { bytes }) => sum + bytes, 0);
	let isTrimmed = false;
	// The last one is written to.
	for (const { name, bytes } of segments.slice(0, -1)) {
		if (total <= maxBytes) break;
		if (!vacate(name)) continue;
		rmSync(join(directory, name), { force: true });
		total -= bytes;
		isTrimmed = true;
	}
	return isTrimmed;
}

/**
 * Removes segments of all sessions together, the oldest first; sessions that are open are left alone. `sessions` is the
 * directory of the projects' directories. Returns the freed bytes.
 */
export async function trimAll(sessions: string, maxBytes: number, isDryRun = false): Promise<number> {
	const segments: StoredPart[] = [];
	for (const project of await childrenOf(sessions)) {
		for (const outputs of await childrenOf(project)) {
			const session = outputs + sessionSuffix;
			for (const path of await childrenOf(join(outputs, rewindFolder))) {
				const isSegment = /\/contents-\d+\.pack$/.test(path);
				const part = isSegment || basename(path) === baselineFolder ? await partAt(path) : undefined;
				if (part) segments.push({ ...part, session });
			}
		}
	}
	let total = segments.reduce((sum, { bytes }) => sum + bytes, 0);
	let freed = 0;
	for (const { path, bytes, session } of segments.toSorted((a, b) => a.mtimeMs - b.mtimeMs)) {
		if (total <= maxBytes) break;
		if (livingOwner(`${session}.lock`)) continue;
		if (!isDryRun) rmSync(path, { recursive: true, force: true });
		total -= bytes;
		freed += bytes;
	}
	if (freed > 0) log.info("old contents of changed files were removed", { freed });
	return freed;
}

interface StoredPart {
	path: string;
	bytes: number;
	mtimeMs: number;
	/** The file of the session. */
	session: string;
}

/** A segment, or what a killed process left behind: a directory. */
async function partAt(path: string): Promise<Omit<StoredPart, "session"> | undefined> {
	const facts = await stat(path).catch(() => undefined);
	if (!facts?.isDirectory()) return facts && { path, bytes: facts.size, mtimeMs: facts.mtimeMs };
	const parts = await Promise.all((await childrenOf(path)).map(partAt));
	const bytes = parts.reduce((sum, part) => sum + (part?.bytes ?? 0), 0);
	return { path, bytes, mtimeMs: facts.mtimeMs };
}

async function childrenOf(directory: string): Promise<string[]> {
	// A file, or nothing, has none.
	const names = await readdir(directory).catch(() => []);
	return names.map((name) => join(directory, name));
}

function sizeOf(path: string): number {
	return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
