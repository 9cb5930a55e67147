/** Reads a settings file as text, and is safe for a pipe, a picture, a gigabyte or a missing file. */
import { readFileSync, statSync } from "node:fs";

import { errorCode } from "@tau/utils";

import { limits } from "./limits.ts";

export type ReadText = { ok: true; text: string } | { ok: false; reason: string };

/** Returns undefined if the file does not exist. */
export function readText(path: string): ReadText | undefined {
	try {
		const info = statSync(path, { throwIfNoEntry: false });
		if (!info) return undefined;
		// Reading a pipe or a device would never end.
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

function decode(bytes: Uint8Array): ReadText {
	if (bytes.includes(0)) return { ok: false, reason: "is not text: it contains NUL bytes" };
	try {
		return { ok: true, text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
	} catch {
		// The decoder's error has no more detail than that.
		return { ok: false, reason: "is not UTF-8 text" };
	}
}
