/** Stores payloads as files named by their SHA-256, each once, and complete on the medium before any reference. */
import {
	closeSync,
	fsyncSync,
	mkdirSync,
	openSync,
	readFileSync,
	renameSync,
	rmSync,
	statSync,
	utimesSync,
} from "node:fs";
import { dirname, join } from "node:path";

import { errorCode, log, shortId } from "@tau/utils";

import { limits } from "../limits.ts";
import { writeWhole } from "../file/write-session.ts";

/** Returns the hash; undefined if the disk rejects the payload. */
export function putBlob(directory: string, bytes: Buffer): string | undefined {
	const hash = hashOf(bytes);
	const path = join(directory, hash);
	try {
		if (!refresh(path, bytes)) write(path, bytes);
		return hash;
	} catch (error) {
		log.warn("cannot write a blob: the image stays in the session file", { path, reason: String(error) });
		return undefined;
	}
}

/** Ensures that the first directory has a blob, if any has it. */
export function keepBlob(directories: readonly [string, ...string[]], hash: string): void {
	const [own, ...others] = directories;
	if (touch(join(own, hash))) return;
	const bytes = readBlob(others, hash);
	if (bytes) putBlob(own, bytes);
}

/** Reads from the first directory that has the complete blob. */
export function readBlob(directories: readonly string[], hash: string): Buffer | undefined {
	for (const directory of directories) {
		const bytes = readWhole(join(directory, hash));
		// Every model would reject a damaged one, in every later turn.
		if (bytes && hashOf(bytes) === hash) return bytes;
	}
	return undefined;
}

function hashOf(bytes: Buffer): string {
	return new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
}

/** Returns whether the complete blob exists. */
function refresh(path: string, bytes: Buffer): boolean {
	return readWhole(path)?.equals(bytes) === true && touch(path);
}

/** Returns whether the blob exists. Updates its time, so that no collection removes it before its line is written. */
function touch(path: string): boolean {
	const now = new Date();
	try {
		utimesSync(path, now, now);
		return true;
	} catch (error) {
		// A blob that cannot be touched cannot be collected either.
		return errorCode(error) !== "ENOENT" && errorCode(error) !== "ENOTDIR";
	}
}

/** Two processes that write the same blob at once write the same bytes, so either rename may win. */
function write(path: string, bytes: Buffer): void {
	mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
	const aside = `${path}.${shortId()}.tmp`;
	const file = openSync(aside, "wx", 0o600);
	try {
		writeWhole(file, bytes);
		fsyncSync(file);
		renameSync(aside, path);
	} catch (error) {
		rmSync(aside, { force: true });
		throw error;
	} finally {
		closeSync(file);
	}
	syncDirectory(dirname(path));
}

function syncDirectory(directory: string): void {
	try {
		const handle = openSync(directory, "r");
		try {
			fsyncSync(handle);
		} finally {
			closeSync(handle);
		}
	} catch (error) {
		// Not every file system does this; the file itself is on the medium.
		log.debug("cannot sync a directory to disk", { directory, reason: String(error) });
	}
}

function readWhole(path: string): Buffer | undefined {
	try {
		const stats = statSync(path, { throwIfNoEntry: false });
		return stats?.isFile() && stats.size <= limits.lineBytes ? readFileSync(path) : undefined;
	} catch (error) {
		log.debug("a blob cannot be read", { path, reason: String(error) });
		return undefined;
	}
}
