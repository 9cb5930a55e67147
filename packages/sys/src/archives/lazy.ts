/** Brings the code for archives in when the first one is touched: zlib alone takes 8 ms to load. */
import type { ArchiveEntry, ArchiveRefusal } from "./entry.ts";

/** Everything that the archive holds, in its order. */
export async function listArchive(
	path: string,
): Promise<{ ok: true; entries: ArchiveEntry[] } | ArchiveRefusal> {
	return (await import("./archive-file.ts")).listArchive(path);
}

/** The content of one file of the archive. Links are named, not followed. */
export async function readArchiveEntry(
	path: string,
	entry: string,
): Promise<{ ok: true; bytes: Uint8Array } | ArchiveRefusal> {
	return (await import("./archive-file.ts")).readArchiveEntry(path, entry);
}

/**
 * Makes or replaces one file of the archive, which is made if it is not there. The archive changes whole or not at
 * all; it keeps its mode, and a link to it stays a link.
 */
export async function writeArchiveEntry(
	path: string,
	entry: string,
	content: Uint8Array | string,
): Promise<{ ok: true; created: boolean } | ArchiveRefusal> {
	return (await import("./archive-file.ts")).writeArchiveEntry(path, entry, content);
}
