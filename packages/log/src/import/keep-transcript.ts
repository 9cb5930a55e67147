/** Stores a transcript as a session, once: a source that has grown since replaces the earlier import. */
import { closeSync, existsSync, fstatSync, mkdirSync, openSync } from "node:fs";
import { dirname, join } from "node:path";
import { takeLock } from "@tau/utils";

import { sessionVersion, type SessionEntry, type SessionHeader } from "../log/tree/entry.ts";
import { ImageBlobs } from "../log/blobs/image-blobs.ts";
import { defaultSessionDir } from "../log/index.ts";
import { sessionFileName } from "../log/file/paths.ts";
import { readSpan } from "../log/file/scan.ts";
import { writeSession } from "../log/file/write-session.ts";
import type { Program } from "./detect.ts";
import { record, text } from "./fields.ts";
import { limits } from "./limits.ts";
import type { ImportedEntry, Transcript } from "./transcript.ts";

export type StoredTranscript =
	/** `current`: the source has not changed since. */
	| { kind: "imported" | "updated" | "current"; session: string }
	/** It continued in both programs: the session here stays unchanged. */
	| { kind: "diverged" | "in use"; session: string };

export interface Target {
	program: Program;
	file: string;
	/** Where the session was put before. */
	existing: string | undefined;
	/** The directory of sessions if it is not the usual one. */
	directory: string | undefined;
}

/** Throws what the file system says. */
export function keepTranscript(transcript: Transcript, target: Target): StoredTranscript {
	const { id, timestamp, cwd, title } = transcript;
	const usual = target.directory ?? defaultSessionDir(cwd || process.cwd());
	const session = target.existing ?? join(usual, sessionFileName({ timestamp, id }));
	const lines = linesOf(transcript, session);
	const digest = digestOf(lines);
	const before = existsSync(session) ? stateOf(session) : undefined;
	if (before && digest === before.recorded) return { kind: "current", session };
	if (before && before.actual !== before.recorded) return { kind: "diverged", session };
	const header: SessionHeader = {
		type: "session",
		version: sessionVersion,
		id,
		timestamp,
		// It may have been moved to another project since.
		cwd: before?.cwd || cwd || process.cwd(),
		...(title === undefined ? {} : { title }),
		importedFrom: { program: target.program, file: target.file, digest },
	};
	mkdirSync(dirname(session), { recursive: true, mode: 0o700 });
	const taken = takeLock(session);
	if (!taken.ok) return { kind: "in use", session };
	using _lock = taken.lock;
	writeSession(session, header, lines);
	return { kind: before ? "updated" : "imported", session };
}

/** The same transcript gives the same lines. */
function linesOf(transcript: Transcript, session: string): Buffer[] {
	const blobs = new ImageBlobs(session);
	const ids = new Map<string, string>();
	const taken = new Set<string>();
	return entriesOf(transcript).map(({ key, parent, timestamp, fields }) => {
		const id = idFor(`${transcript.id} ${key}`, taken);
		ids.set(key, id);
		const { type, ...rest } = fields;
		const parentId = parent === null ? null : (ids.get(parent) ?? null);
		const own = type === "compaction" ? { firstKeptEntryId: id } : {};
		const entry = { type, id, parentId, timestamp, ...rest, ...own } as SessionEntry;
		return Buffer.from(JSON.stringify(blobs.externalize(entry)));
	});
}

/** A session continues at its last line: if that is on another branch, an empty entry leads back. */
function entriesOf({ entries, leaf }: Transcript): readonly ImportedEntry[] {
	const last = entries.at(-1);
	if (!last || last.key === leaf) return entries;
	const fields = { type: "custom", customType: "tau.import" } as const;
	return [...entries, { key: "leaf", parent: leaf, timestamp: last.timestamp, fields }];
}

/** Eight hex digits, as entries have them; the next eight if these are taken. */
function idFor(key: string, taken: Set<string>): string {
	const hash = new Bun.CryptoHasher("sha256").update(key).digest("hex");
	let id = hash;
	for (let at = 0; at + 8 <= hash.length; at += 8) {
		id = hash.slice(at, at + 8);
		if (!taken.has(id)) break;
		id = hash;
	}
	taken.add(id);
	return id;
}

function digestOf(lines: readonly Buffer[]): string {
	const hasher = new Bun.CryptoHasher("sha256");
	for (const line of lines) hasher.update(line).update("\n");
	return hasher.digest("hex");
}

/** What the header says of the lines below it, and what they are. */
function stateOf(session: string): { recorded: string; cwd: string; actual: string } {
	const file = openSync(session, "r");
	try {
		const { size } = fstatSync(file);
		const start = readSpan(file, 0, Math.min(size, limits.chunkBytes));
		const end = start.indexOf(0x0a) + 1;
		const hasher = new Bun.CryptoHasher("sha256");
		for (let at = end; at < size; at += limits.chunkBytes) {
			hasher.update(readSpan(file, at, Math.min(limits.chunkBytes, size - at)));
		}
		return { ...headerIn(start.toString("utf8", 0, end)), actual: hasher.digest("hex") };
	} finally {
		closeSync(file);
	}
}

function headerIn(line: string): { recorded: string; cwd: string } {
	try {
		const header = record(JSON.parse(line));
		return { recorded: text(record(header.importedFrom).digest), cwd: text(header.cwd) };
	} catch {
		// A damaged header reveals nothing, and the session is not touched.
		return { recorded: "", cwd: "" };
	}
}
