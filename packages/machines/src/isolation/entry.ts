/** Reads and compares the states of paths: files with their modes, and links. */
import { closeSync, constants, lstatSync, readFileSync, readlinkSync, type BigIntStats } from "node:fs";
import { basename, dirname } from "node:path";

import { errorCode } from "@tau/utils";

import { HeldDirectory, openHeld, PathMoved } from "@tau/sys";

import { limits } from "./limits.ts";
import type { TreeEntry } from "./types.ts";

export const absentEntry: TreeEntry = { kind: "absent" };

export function statEntry(path: string): BigIntStats | undefined {
	try {
		return lstatSync(path, { bigint: true, throwIfNoEntry: false });
	} catch (error) {
		// A part of its path is a file now.
		if (errorCode(error) === "ENOTDIR") return undefined;
		throw error;
	}
}

/** No directory of the path may be a link, now or while it is read: its target may be any file. */
export function readTreeEntry(path: string): TreeEntry {
	try {
		return readHeldEntry(path);
	} catch (error) {
		if (error instanceof PathMoved) return { kind: "other", what: "behind a link" };
		if (errorCode(error) === "ENOENT" || errorCode(error) === "ENOTDIR") return absentEntry;
		throw error;
	}
}

function readHeldEntry(path: string): TreeEntry {
	using directory = HeldDirectory.open(dirname(path));
	const at = directory.at(basename(path));
	const stats = statEntry(at);
	if (!stats) return absentEntry;
	if (stats.isSymbolicLink()) return { kind: "link", target: readlinkSync(at) };
	if (!stats.isFile())
		return { kind: "other", what: stats.isDirectory() ? "a directory" : "no regular file" };
	if (stats.size > limits.fileBytes) return { kind: "other", what: `a file of ${stats.size} bytes` };
	const file = openHeld(path, constants.O_RDONLY | constants.O_NONBLOCK);
	try {
		return { kind: "file", bytes: readFileSync(file), mode: Number(stats.mode) & 0o777 };
	} finally {
		closeSync(file);
	}
}

export function isSameEntry(one: TreeEntry, other: TreeEntry): boolean {
	if (one.kind === "file" && other.kind === "file")
		return one.mode === other.mode && Buffer.compare(one.bytes, other.bytes) === 0;
	if (one.kind === "link" && other.kind === "link") return one.target === other.target;
	return one.kind === "absent" && other.kind === "absent";
}

/** Undefined for anything that is not UTF-8 text. */
export function textOf(entry: TreeEntry): string | undefined {
	if (entry.kind !== "file" || entry.bytes.includes(0)) return undefined;
	try {
		return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(entry.bytes);
	} catch {
		return undefined;
	}
}
