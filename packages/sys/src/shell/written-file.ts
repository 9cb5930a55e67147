/** Reads and removes files that a shell has written: a sandboxed one must not make us follow its links or wait. */
import { closeSync, constants, fstatSync, openSync, readSync, unlinkSync } from "node:fs";

import { limits } from "../limits.ts";

/** Undefined if it is missing, not a regular file or too long. */
export function readWritten(path: string | Buffer): Buffer | undefined {
	let file: number;
	try {
		// A link would show us what the shell cannot see, and a pipe would block us.
		file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
	} catch {
		return undefined;
	}
	try {
		const info = fstatSync(file);
		if (!info.isFile() || info.size > limits.shellStateBytes) return undefined;
		const content = Buffer.alloc(info.size);
		return content.subarray(0, readSync(file, content, 0, info.size, 0));
	} finally {
		closeSync(file);
	}
}

/** Whatever the shell has made of it. */
export function removeWritten(path: string): void {
	try {
		// Never recursively: the shell could replace a directory by a link meanwhile.
		unlinkSync(path);
	} catch {
		// Missing, or a directory: the room is removed when the shell's processes have ended.
	}
}
