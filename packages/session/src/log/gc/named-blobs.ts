/** Removes from a list of blobs those that a session refers to, however damaged its file is. */
import { closeSync, fstatSync, openSync } from "node:fs";

import { errorCode } from "@tau/utils";

import { hashesIn, referenceBytes } from "../blobs/blob-reference.ts";
import { limits } from "../limits.ts";
import { readSpan } from "../file/scan.ts";

/** Leaves in `blobs` those that no file refers to. Throws the file system's error. */
export function crossOffNamed(path: string, blobs: Map<string, unknown>): void {
	const file = openOrNothing(path);
	if (file === undefined) return;
	try {
		const { size } = fstatSync(file);
		// A reference across the end of one part is complete in the next.
		const step = limits.scanChunkBytes - referenceBytes;
		for (let at = 0; at < size && blobs.size > 0; at += step) {
			for (const hash of hashesIn(readSpan(file, at, limits.scanChunkBytes))) blobs.delete(hash);
		}
	} finally {
		closeSync(file);
	}
}

/** Returns undefined for a file that was moved meanwhile: it is found in its new place. */
function openOrNothing(path: string): number | undefined {
	try {
		return openSync(path, "r");
	} catch (error) {
		if (errorCode(error) === "ENOENT") return undefined;
		throw error;
	}
}
