/** A file with a secret: only its owner can read it, and a reader sees all of it or the one before. */
import {
	chmodSync,
	closeSync,
	fstatSync,
	fsyncSync,
	openSync,
	readFileSync,
	renameSync,
	rmSync,
	writeSync,
} from "node:fs";
import { dirname } from "node:path";

import { uuidv7 } from "./ids.ts";
import { privateDirectory } from "./private-directory.ts";
import { errorCode } from "./values.ts";

/** Undefined without a file. A file that others can read is closed to them first. Throws the system's error. */
export function readSecretFile(path: string, maxBytes: number): Buffer | undefined {
	let file: number;
	try {
		file = openSync(path, "r");
	} catch (error) {
		if (errorCode(error) === "ENOENT") return undefined;
		throw error;
	}
	try {
		const { mode, size } = fstatSync(file);
		if ((mode & 0o077) !== 0) chmodSync(path, 0o600);
		if (size > maxBytes) throw new Error(`${path} is larger than ${maxBytes} bytes`);
		return readFileSync(file);
	} finally {
		closeSync(file);
	}
}

/** Replaces the file in one step. Throws the system's error, and leaves nothing behind then. */
export function writeSecretFile(path: string, content: string | Uint8Array): void {
	privateDirectory(dirname(path));
	const draft = `${path}.${uuidv7()}`;
	const file = openSync(draft, "wx", 0o600);
	try {
		try {
			writeSync(file, Buffer.from(content));
			fsyncSync(file);
		} finally {
			closeSync(file);
		}
		renameSync(draft, path);
	} catch (error) {
		rmSync(draft, { force: true });
		throw error;
	}
}
