/** Writes a whole session file under a temporary name and renames it, so that readers never see a part of it. */
import {
	closeSync,
	constants,
	copyFileSync,
	fsyncSync,
	linkSync,
	mkdirSync,
	openSync,
	renameSync,
	rmSync,
	writeSync,
} from "node:fs";
import { dirname } from "node:path";

import { errorCode, shortId } from "@tau/utils";

import type { SessionHeader } from "../tree/entry.ts";
import { limits } from "../limits.ts";

export const newline = Buffer.from("\n");

export function headerLine(header: SessionHeader): Buffer {
	const { type, version, id, timestamp, cwd, ...rest } = header;
	return Buffer.from(`${JSON.stringify({ type, version, id, timestamp, cwd, ...rest })}\n`);
}

/** The kernel may write less than requested, above all when the disk is full. Throws the file system's error then. */
export function writeWhole(file: number, bytes: Buffer): void {
	for (let done = 0; done < bytes.length;) done += writeSync(file, bytes, done);
}

/** Returns the offset of each line. A file at `path` is replaced; `beforehand` runs right before the rename. */
export function writeSession(
	path: string,
	header: SessionHeader,
	lines: Iterable<Buffer>,
	beforehand = () => {},
): number[] {
	mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
	const aside = `${path}.${shortId()}.tmp`;
	const file = openSync(aside, "wx", 0o600);
	try {
		const offsets = writeLines(file, headerLine(header), lines);
		fsyncSync(file);
		beforehand();
		renameSync(aside, path);
		return offsets;
	} catch (error) {
		rmSync(aside, { force: true });
		throw error;
	} finally {
		closeSync(file);
	}
}

/** Saves a file under another name before it is rewritten: `<file>.orig`, `<file>.orig2` … */
export function keepOriginal(path: string): void {
	for (let count = 1; count <= limits.originalNames; count++) {
		const backup = `${path}.orig${count === 1 ? "" : count}`;
		try {
			linkSync(path, backup);
			return;
		} catch (error) {
			if (errorCode(error) === "EEXIST") continue;
			// Some file systems have no links.
			copyFileSync(path, backup, constants.COPYFILE_EXCL);
			return;
		}
	}
	throw new Error(`Too many older versions of ${path}. Remove some of ${path}.orig*.`);
}

function writeLines(file: number, header: Buffer, lines: Iterable<Buffer>): number[] {
	const offsets: number[] = [];
	let batch: Buffer[] = [header];
	let batched = header.length;
	let size = header.length;
	const write = () => {
		writeWhole(file, Buffer.concat(batch));
		batch = [];
		batched = 0;
	};
	for (const line of lines) {
		offsets.push(size);
		batch.push(line, newline);
		batched += line.length + 1;
		size += line.length + 1;
		if (batched >= limits.scanChunkBytes) write();
	}
	write();
	return offsets;
}
