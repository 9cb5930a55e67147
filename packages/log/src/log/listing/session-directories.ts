/** Records directories outside of the default one whose sessions refer to blobs: a collection must scan them too. */
import {
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";

import { errorCode, log, shortId, isRecord } from "@tau/utils";

import { blobsIn, dataOf } from "../blobs/blob-directories.ts";

export interface SessionDirectories {
	/** Directories that hold sessions. */
	there: string[];
	/** Directories on a disk that seems to be unmounted. */
	away: string[];
}

/** Returns a file name per directory, so that two processes that record the same one write the same file. */
export function rememberDirectory(blobs: string, session: string): void {
	const data = dataOf(session);
	if (data !== undefined && blobsIn(data) === blobs) return;
	const path = dirname(session);
	const note = noteOf(blobs, path);
	if (existsSync(note)) return;
	try {
		mkdirSync(directoryNotes(blobs), { recursive: true, mode: 0o700 });
		const aside = `${note}.${shortId()}.tmp`;
		writeFileSync(aside, JSON.stringify({ path, device: deviceAt(path) }), { mode: 0o600 });
		renameSync(aside, note);
	} catch (error) {
		log.warn("cannot record a session directory", { path, reason: String(error) });
	}
}

/** Forgets deleted directories; those on an unmounted disk may come back. Throws if it cannot decide. */
export function sessionDirectories(blobs: string): SessionDirectories {
	const directories: SessionDirectories = { there: [], away: [] };
	for (const { path, device } of notes(blobs)) {
		const stats = statSync(path, { throwIfNoEntry: false });
		if (stats?.isDirectory()) directories.there.push(path);
		else if (device === deviceAt(path)) rmSync(noteOf(blobs, path), { force: true });
		else directories.away.push(path);
	}
	return directories;
}

function notes(blobs: string): { path: string; device: unknown }[] {
	const directory = directoryNotes(blobs);
	return names(directory)
		.filter((name) => !name.endsWith(".tmp"))
		.map((name) => {
			const file = join(directory, name);
			const value: unknown = JSON.parse(readFileSync(file, "utf8"));
			if (!isRecord(value) || typeof value.path !== "string") throw new Error(`Cannot read ${file}.`);
			return { path: value.path, device: value.device };
		});
}

function names(directory: string): string[] {
	try {
		return readdirSync(directory);
	} catch (error) {
		if (errorCode(error) === "ENOENT") return [];
		throw error;
	}
}

/** Returns the device of the nearest existing directory of the path. */
function deviceAt(path: string): number | undefined {
	for (let at = path; ; at = dirname(at)) {
		const stats = statSync(at, { throwIfNoEntry: false });
		if (stats || dirname(at) === at) return stats?.dev;
	}
}

export function directoryNotes(blobs: string): string {
	return join(blobs, "session-dirs");
}

function noteOf(blobs: string, path: string): string {
	return join(directoryNotes(blobs), Bun.hash(path).toString(16));
}
