/** Brings the code for archives in when the first one is touched: zlib alone takes 8 ms to load. */
import type { ArchiveEntry, ArchiveRefusal, ArchiveSource } from "./entry.ts";

/** Everything that the archive holds, in its order. */
export async function listArchive(
	source: ArchiveSource,
): Promise<{ ok: true; entries: ArchiveEntry[] } | ArchiveRefusal> {
	return (await import("./archive-file.ts")).listArchive(source);
}

/** The content of one file of the archive. Links are named, not followed. */
export async function readArchiveEntry(
	source: ArchiveSource,
	entry: string,
): Promise<{ ok: true; bytes: Uint8Array } | ArchiveRefusal> {
	return (await import("./archive-file.ts")).readArchiveEntry(source, entry);
}

/** The archive with one file added or replaced; a new archive when there is no old one, of the kind that `name` says. */
export async function addToArchive(
	name: string,
	old: Uint8Array | undefined,
	entry: string,
	content: Uint8Array | string,
): Promise<{ ok: true; bytes: Uint8Array } | ArchiveRefusal> {
	return (await import("./archive-file.ts")).addToArchive(name, old, entry, content);
}
