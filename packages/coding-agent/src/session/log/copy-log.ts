/** Makes a new session out of entries of another: a fork, a branch of its own, or the same one in another place. */
import { cpSync, existsSync, renameSync, rmSync } from "node:fs";

import type { SessionHeader } from "./entry.ts";
import type { EntryNode } from "./node.ts";
import { artifactsDir } from "./paths.ts";
import { SessionLog, type LogOptions } from "./session-log.ts";
import { codeOf, writeSession } from "./write-session.ts";

export interface Copy extends LogOptions {
	source: SessionLog;
	/** Each after its parent. */
	nodes: readonly EntryNode[];
	header: SessionHeader;
	/** Undefined for one in memory. */
	path: string | undefined;
}

/** Lines are taken over byte for byte. Throws what the file system says; there is no new file then. */
export function copyLog({ source, nodes, header, path, blobs }: Copy): SessionLog {
	if (path === undefined) {
		const log = SessionLog.inMemory(header, { blobs });
		log.take(source, nodes);
		return log;
	}
	if (existsSync(path)) throw new Error(`There is a session at ${path} already.`);
	if (!nodes.some(SessionLog.isConversation)) {
		const log = SessionLog.fresh(path, header, { blobs });
		log.take(source, nodes);
		return log;
	}
	writeSession(path, header, linesOf(source, nodes));
	const opened = SessionLog.open(path, "write", header, { blobs });
	if (!opened.ok) throw new Error(`The new session ${path} is ${opened.reason}.`);
	return opened.log;
}

/** What belongs to a session moves with it. Gives the way back, for when a later step fails. */
export function moveArtifacts(from: string, to: string): () => void {
	const [source, target] = [artifactsDir(from), artifactsDir(to)];
	if (!existsSync(source)) return () => {};
	move(source, target);
	return () => move(target, source);
}

function* linesOf(source: SessionLog, nodes: readonly EntryNode[]): Generator<Buffer> {
	for (const node of nodes) yield source.line(node);
}

/** A file or a directory; to another file system it is copied first. */
export function move(from: string, to: string): void {
	try {
		renameSync(from, to);
	} catch (error) {
		if (codeOf(error) !== "EXDEV") throw error;
		cpSync(from, to, { recursive: true });
		rmSync(from, { recursive: true });
	}
}
