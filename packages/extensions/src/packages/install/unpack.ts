/** Unpacks the archive of a package into a new directory, after checking all of its entries. */
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { listArchive, type ArchiveEntry } from "@tau/sys";

import { limits } from "../limits.ts";
import { PackageError } from "../problem.ts";
import { checkTree } from "./check-tree.ts";

/** `directory` is a folder of the store; the package is in its `package` afterwards. */
export async function unpack(name: string, bytes: Uint8Array, directory: string): Promise<void> {
	const archive = join(directory, "package.tgz");
	const unpacked = join(directory, "unpacked");
	writeFileSync(archive, bytes);
	const listed = await listArchive(archive);
	if (!listed.ok) throw new PackageError(`The archive of ${name} is invalid: ${listed.message}`);
	const problem = problemOf(listed.entries);
	if (problem !== undefined) throw new PackageError(`The archive of ${name} was rejected: ${problem}.`);
	mkdirSync(unpacked);
	await extract(name, bytes, unpacked);
	const [top, ...others] = readdirSync(unpacked);
	if (top === undefined || others.length > 0)
		throw new PackageError(`The archive of ${name} was rejected: it must have a single top-level folder.`);
	renameSync(join(unpacked, top), join(directory, "package"));
	rmSync(unpacked, { recursive: true, force: true });
	rmSync(archive, { force: true });
	checkTree(name, join(directory, "package"));
}

async function extract(name: string, bytes: Uint8Array, directory: string): Promise<void> {
	try {
		await new Bun.Archive(bytes).extract(directory);
	} catch (error) {
		// A directory that its owner may not write to, a full disk, a name that is too long.
		const reason = error instanceof Error ? error.message : String(error);
		throw new PackageError(`Cannot unpack the archive of ${name}: ${reason}.`);
	}
}

/** npm packs files and nothing else: whatever leads out or is no file was put there by hand. */
function problemOf(entries: readonly ArchiveEntry[]): string | undefined {
	let total = 0;
	for (const { path, kind, size } of entries) {
		const shown = JSON.stringify(path);
		const leadsOut = path.startsWith("/") || /^[a-z]:/i.test(path) || path.split("/").includes("..");
		if (leadsOut) return `${shown} points outside it`;
		if (/[\0-\x1f\x7f]/.test(path)) return `${shown} is not a valid file name`;
		if (kind === "link") return `${shown} is a link`;
		if (kind === "other") return `${shown} is neither a file nor a directory`;
		total += size;
	}
	if (entries.length > limits.unpackedEntries) return `it has ${entries.length} entries`;
	return total > limits.unpackedBytes ? `it has ${total} bytes, unpacked` : undefined;
}
