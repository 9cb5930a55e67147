/** Reads and changes archives in a worker process. */
import type { ArchiveEntry, ArchiveRefusal, ArchiveSource } from "../archives/index.ts";
import { limits } from "./limits.ts";
import { orRefusal, parsers } from "./parsers.ts";

/** Everything that the archive holds, in its order. */
export async function listArchive(
	source: ArchiveSource,
	signal?: AbortSignal,
): Promise<{ ok: true; entries: ArchiveEntry[] } | ArchiveRefusal> {
	return await orRefusal(parsers.run("archiveList", [source], { limits: limits.archive, signal }), stopped);
}

/** The content of one file of the archive. Links are named, not followed. */
export async function readArchiveEntry(
	source: ArchiveSource,
	entry: string,
	signal?: AbortSignal,
): Promise<{ ok: true; bytes: Uint8Array } | ArchiveRefusal> {
	const options = { limits: limits.archive, signal };
	return await orRefusal(parsers.run("archiveEntry", [source, entry], options), stopped);
}

/** The archive with one file added or replaced; a new archive when there is no old one, of the kind that `name` says. */
export async function addToArchive(
	name: string,
	old: Uint8Array | undefined,
	entry: string,
	content: Uint8Array | string,
	signal?: AbortSignal,
): Promise<{ ok: true; bytes: Uint8Array } | ArchiveRefusal> {
	const options = { limits: limits.archiveAdd, signal };
	return await orRefusal(parsers.run("archiveAdd", [name, old, entry, content], options), stopped);
}

function stopped(why: string): ArchiveRefusal {
	const message = `The archive was not processed: ${why}. Unpack it with bash (unzip, tar) and read its files.`;
	return { ok: false, problem: "limit", message };
}
