/** Reads a settings file as text, and is safe for a pipe, a picture, a gigabyte or a missing file. */
import { closeSync, openSync, readFileSync, readSync, statSync } from "node:fs";

import { errorCode } from "@tau/utils";

import { limits } from "./limits.ts";

export type ReadText = { ok: true; text: string } | { ok: false; reason: string };

/** Returns undefined if the file does not exist. */
export function readText(path: string): ReadText | undefined {
	try {
		const info = statSync(path, { throwIfNoEntry: false });
		if (!info) return undefined;
		// Reading a device would never end. A pipe is what a shell makes of `--config <(…)`: it ends with the command.
		if (info.isFIFO() && /^\/(?:dev|proc\/self)\/fd\/\d+$/.test(path)) return decode(readPipe(path));
		if (!info.isFile()) return { ok: false, reason: info.isDirectory() ? "is a directory" : "is not a file" };
		if (info.size > limits.configFileBytes) {
			return {
				ok: false,
				reason: `is larger than ${limits.configFileBytes} bytes, too large for a settings file`,
			};
		}
		return decode(readFileSync(path));
	} catch (error) {
		// A file in place of the directory, for example `.tau`, counts as a missing directory.
		if (errorCode(error) === "ENOENT" || errorCode(error) === "ENOTDIR") return undefined;
		return { ok: false, reason: `cannot be read: ${error instanceof Error ? error.message : String(error)}` };
	}
}

/** As much as a settings file may have. */
function readPipe(path: string): Uint8Array {
	const descriptor = openSync(path, "r");
	try {
		const bytes = Buffer.alloc(limits.configFileBytes);
		let length = 0;
		for (let read = -1; read !== 0 && length < bytes.length; length += read)
			read = readSync(descriptor, bytes, length, bytes.length - length, null);
		return bytes.subarray(0, length);
	} finally {
		closeSync(descriptor);
	}
}

function decode(bytes: Uint8Array): ReadText {
	if (bytes.includes(0)) return { ok: false, reason: "is not text: it contains NUL bytes" };
	try {
		return { ok: true, text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
	} catch {
		// The decoder's error has no more detail than that.
		return { ok: false, reason: "is not UTF-8 text" };
	}
}
