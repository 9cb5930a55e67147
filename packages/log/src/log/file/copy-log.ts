/** Creates a session from entries of another: a fork, a single branch, or the same session in another directory. */
import { constants, cpSync, existsSync, renameSync, rmSync } from "node:fs";
import { basename } from "node:path";

import { errorCode, log as logger } from "@tau/utils";

import type { BlobStore } from "../blobs/blob-store.ts";
import type { SessionHeader } from "../tree/entry.ts";
import { ImageBlobs } from "../blobs/image-blobs.ts";
import type { EntryNode } from "../tree/node.ts";
import { artifactsDir, baselineFolder } from "./paths.ts";
import { SessionLog, type LogOptions } from "../session-log.ts";
import { writeSession } from "./write-session.ts";

export interface Copy extends LogOptions {
	source: SessionLog;
	/** Each after its parent. */
	nodes: readonly EntryNode[];
	header: SessionHeader;
	/** Undefined for one in memory. */
	path: string | undefined;
}

/** Copies lines byte for byte. Throws the file system's error; there is no new file then. */
export function copyLog({ source, nodes, header, path, blobs }: Copy): SessionLog {
	if (path === undefined) {
		const log = SessionLog.inMemory(header, { blobs });
		log.take(source, nodes);
		return log;
	}
	if (existsSync(path)) throw new Error(`A session already exists at ${path}.`);
	if (!nodes.some(SessionLog.isConversation)) {
		const log = SessionLog.fresh(path, header, { blobs });
		log.take(source, nodes);
		return log;
	}
	const store = blobs ?? new ImageBlobs(path);
	writeSession(path, header, linesOf(source, nodes, store));
	const opened = SessionLog.open(path, "write", header, { blobs: store });
	if (!opened.ok) throw new Error(`The new session ${path} is ${opened.reason}.`);
	return opened.log;
}

/** Copies the outputs that the fork's entries refer to. If that fails, the fork works without them. */
export function copyArtifacts(from: string, to: string): void {
	const [source, target] = [artifactsDir(from), artifactsDir(to)];
	try {
		if (!existsSync(source)) return;
		cpSync(source, target, {
			recursive: true,
			errorOnExist: true,
			force: false,
			// If the file system supports it, the copy shares the bytes until one of the two changes.
			mode: constants.COPYFILE_FICLONE,
			// The lock belongs to a running subagent, and the baseline to the command that runs now.
			filter: (path) => !path.endsWith(".lock") && basename(path) !== baselineFolder,
		});
	} catch (error) {
		logger.warn("the outputs of a session were not copied", { source, target, reason: String(error) });
	}
}

/** Moves the files of a session with it. Returns an undo function, for when a later step fails. */
export function moveArtifacts(from: string, to: string): () => void {
	const [source, target] = [artifactsDir(from), artifactsDir(to)];
	if (!existsSync(source)) return () => {};
	move(source, target);
	return () => move(target, source);
}

function* linesOf(source: SessionLog, nodes: readonly EntryNode[], blobs: BlobStore): Generator<Buffer> {
	for (const node of nodes) {
		const line = source.line(node);
		blobs.adopt?.(line, source.path);
		yield line;
	}
}

/** A file or a directory; to another file system it is copied first. */
export function move(from: string, to: string): void {
	try {
		renameSync(from, to);
	} catch (error) {
		if (errorCode(error) !== "EXDEV") throw error;
		cpSync(from, to, { recursive: true });
		rmSync(from, { recursive: true });
	}
}
