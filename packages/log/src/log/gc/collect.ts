/** Removes what no session refers to: blobs, directories of outputs, half-written files, rows of the index. */
import { existsSync, readdirSync, rmSync, statSync, closeSync, fstatSync, openSync } from "node:fs";
import { join } from "node:path";

import { livingOwner, errorCode } from "@tau/utils";

import { blobsIn } from "../blobs/blob-directories.ts";
import { limits } from "../limits.ts";
import { SessionIndex } from "../listing/session-index.ts";
import { directoryNotes, sessionDirectories } from "../listing/session-directories.ts";
import { survey, type Root, type Survey } from "./survey.ts";
import { listBlobs, putBack, removeBlob, weigh, type BlobListing, type Weighed } from "./sweep-blobs.ts";
import { hashesIn, referenceBytes } from "../blobs/blob-reference.ts";
import { readSpan } from "../file/scan.ts";

export interface GcOptions {
	/** The directory of sessions, blobs and the trash. */
	data: string;
	/** The directory of the index. */
	cache: string;
	/** Other directories that contain sessions. */
	directories: readonly string[];
	isDryRun: boolean;
	now?: number;
}

export interface Freed {
	count: number;
	bytes: number;
}

export interface GcReport {
	blobs: Freed;
	outputs: Freed;
	unfinished: Freed;
	indexRows: number;
	/** Blobs that no session refers to, but that are too new to remove. */
	young: number;
	/** Parts that could not be read, so that no blob was removed, or that could not be removed. */
	obstacles: string[];
}

export async function collectGarbage(options: GcOptions): Promise<GcReport> {
	const { data, isDryRun, now = Date.now() } = options;
	const listing = listBlobs(blobsIn(data));
	const { roots, obstacles } = rootsOf(options);
	const seen = attempt(obstacles, () => crossOff(roots, listing.blobs));
	const grace = now - limits.gcGraceMs;
	const isOld = ({ mtimeMs }: Weighed): boolean => mtimeMs < grace;
	const inHand = Math.min(...(seen ? seen.locks.map(lockedSince) : []));
	if (!isDryRun) for (const aside of listing.aside) putBack(aside);
	const unnamed = obstacles.length === 0 ? [...listing.blobs.values()] : [];
	const old = unnamed.filter((blob) => isOld(blob) && blob.mtimeMs < inHand);
	const free = (things: readonly Weighed[], remove: (thing: Weighed) => boolean): Freed =>
		sum(things.filter((thing) => isDryRun || attempt(obstacles, () => remove(thing)) === true));
	return {
		blobs: free(old, removeBlob),
		outputs: free(seen ? orphans(seen, isOld) : [], removeAll),
		unfinished: free(unfinished(seen, listing).filter(isOld), removeAll),
		indexRows: await pruneIndex(join(options.cache, "sessions.sqlite"), isDryRun),
		young: unnamed.length - old.length,
		obstacles,
	};
}

function rootsOf({ data, directories }: GcOptions): { roots: Root[]; obstacles: string[] } {
	const obstacles: string[] = [];
	const known = attempt(obstacles, () => sessionDirectories(blobsIn(data))) ?? { there: [], away: [] };
	for (const path of known.away) {
		const notes = directoryNotes(blobsIn(data));
		obstacles.push(
			`${path} is on a disk that is not mounted. If it is gone permanently, remove its entry in ${notes}.`,
		);
	}
	return {
		roots: [
			{ path: join(data, "sessions"), layout: "projects" },
			{ path: join(data, "trash"), layout: "projects", isTrash: true },
			...[...new Set([...directories, ...known.there])].map((path): Root => ({ path, layout: "sessions" })),
		],
		obstacles,
	};
}

/** A session that is moved during the scan is found at its new path: the scan repeats until nothing is new. */
function crossOff(roots: readonly Root[], blobs: Map<string, Weighed>): Survey {
	const read = new Set<string>();
	for (let round = 0; round < limits.gcRounds; round++) {
		const seen = survey(roots);
		const fresh = seen.texts.filter((path) => !read.has(path));
		if (fresh.length === 0 && round > 0) return seen;
		for (const path of fresh) {
			crossOffNamed(path, blobs);
			read.add(path);
		}
	}
	throw new Error("Sessions keep changing. Try again later.");
}

/** A process that writes may have named in memory what it put on disk since: a full disk makes it wait. */
function lockedSince(lock: string): number {
	const owner = livingOwner(lock);
	if (!owner) return Number.POSITIVE_INFINITY;
	const since = Date.parse(owner.since);
	return Number.isNaN(since) ? 0 : since;
}

/** The session does not exist, no process is about to write it, and nothing in the directory is new. */
function orphans({ outputs }: Survey, isOld: (one: Weighed) => boolean): Weighed[] {
	return outputs
		.filter(({ session }) => !existsSync(session) && !livingOwner(`${session}.lock`))
		.flatMap(({ directory }) => heap(directory) ?? [])
		.filter(isOld);
}

/** Returns the total size and latest change of a directory; undefined if it was moved meanwhile. */
function heap(directory: string): Weighed | undefined {
	const own = statSync(directory, { throwIfNoEntry: false });
	if (!own) return undefined;
	const all = { path: directory, bytes: 0, mtimeMs: own.mtimeMs };
	for (const name of readdirSync(directory, { recursive: true, encoding: "utf8" })) {
		const stats = statSync(join(directory, name), { throwIfNoEntry: false });
		if (stats?.isFile()) all.bytes += stats.size;
		all.mtimeMs = Math.max(all.mtimeMs, stats?.mtimeMs ?? 0);
	}
	return all;
}

function unfinished(seen: Survey | undefined, listing: BlobListing): Weighed[] {
	const logs = (seen?.unfinished ?? []).flatMap((path) => weigh(path) ?? []);
	return [...logs, ...listing.unfinished];
}

function removeAll({ path }: Weighed): boolean {
	rmSync(path, { recursive: true, force: true });
	return true;
}

function sum(gone: readonly Weighed[]): Freed {
	return { count: gone.length, bytes: gone.reduce((all, { bytes }) => all + bytes, 0) };
}

async function pruneIndex(path: string, isDryRun: boolean): Promise<number> {
	if (!existsSync(path)) return 0;
	using index = await SessionIndex.open(path);
	return index?.prune((directory, name) => !existsSync(join(directory, name)), isDryRun) ?? 0;
}

function attempt<T>(obstacles: string[], work: () => T): T | undefined {
	try {
		return work();
	} catch (error) {
		obstacles.push(error instanceof Error ? error.message : String(error));
		return undefined;
	}
}

/** Removes from `blobs` those that the session file refers to, however damaged the file is. Throws the file system's error. */
function crossOffNamed(path: string, blobs: Map<string, unknown>): void {
	const file = openOrNothing(path);
	if (file === undefined) return;
	try {
		const { size } = fstatSync(file);
		// A reference across the end of one part is complete in the next.
		const step = limits.scanChunkBytes - referenceBytes;
		for (let at = 0; at < size && blobs.size > 0; at += step) {
			for (const hash of hashesIn(readSpan(file, at, limits.scanChunkBytes))) blobs.delete(hash);
		}
	} finally {
		closeSync(file);
	}
}

/** Returns undefined for a file that was moved meanwhile: it is found at its new path. */
function openOrNothing(path: string): number | undefined {
	try {
		return openSync(path, "r");
	} catch (error) {
		if (errorCode(error) === "ENOENT") return undefined;
		throw error;
	}
}
