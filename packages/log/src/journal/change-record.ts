/** The record of changes on disk: one line for each call, in the order in which they were made. */
import { appendFileSync, mkdirSync, readFileSync, truncateSync } from "node:fs";
import { dirname } from "node:path";

import { errorCode, log } from "@tau/utils";

import type { Image, ImageChange } from "./image.ts";
import { limits } from "./limits.ts";

/** When something changed, in the conversation. */
export interface HistoryMoment {
	readonly timestamp: number;
	/** The entry of the log that the conversation was at. */
	readonly leafId?: string;
	/** The newest entry of the log, on whatever branch: which entries came before the change, and which after it. */
	readonly lastId?: string;
}

/** Everything that one call changed. */
export interface ChangeBatch extends HistoryMoment {
	/** The directory of the project. */
	readonly root: string;
	/** The other machine that it is on. */
	readonly machine?: string;
	readonly toolCallId?: string;
	/** `background`: only background jobs ran, so that it may as well be the user's work. */
	readonly by: "tool" | "command" | "background" | "restore";
	readonly changes: readonly ImageChange[];
}

export class ChangeRecord {
	readonly #path: () => string;
	#read: ReadRecord | undefined;

	/** Called each time, because a session may move. */
	constructor(path: () => string) {
		this.#path = path;
	}

	/** In the order in which they were made. */
	get batches(): readonly ChangeBatch[] {
		return this.#readOnce().batches;
	}

	/** The system has the line when this returns: it survives the end of this process. False if it cannot be written. */
	append(batch: ChangeBatch): boolean {
		const read = this.#readOnce();
		read.batches.push(batch);
		const path = this.#path();
		try {
			// Only the writer repairs: to a reader, a line that is being written looks torn.
			if (read.tornAt !== undefined) truncateSync(path, read.tornAt);
			delete read.tornAt;
			appendLine(path, `${JSON.stringify(encoded(batch))}\n`);
			return true;
		} catch (error) {
			log.warn("a change of files cannot be recorded", { path, reason: String(error) });
			return false;
		}
	}

	/** Reads the record again, after it was collected. */
	reload(): void {
		this.#read = undefined;
	}

	#readOnce(): ReadRecord {
		this.#read ??= readBatches(this.#path());
		return this.#read;
	}
}

function appendLine(path: string, line: string): void {
	try {
		appendFileSync(path, line, { mode: 0o600 });
	} catch (error) {
		if (errorCode(error) !== "ENOENT") throw error;
		mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
		appendFileSync(path, line, { mode: 0o600 });
	}
}

interface ReadRecord {
	batches: ChangeBatch[];
	/** Where a line begins that a crash tore. */
	tornAt?: number;
}

/** Paths are text in the file, except names that are none. */
function encoded(batch: ChangeBatch): unknown {
	return {
		...batch,
		changes: batch.changes.map(({ path, before, after }) => ({
			...written("path", path),
			before: image(before),
			after: image(after),
		})),
	};
}

function image(one: Image): unknown {
	return one.kind === "link" ? { kind: "link", ...written("target", one.target) } : one;
}

function written(name: "path" | "target", value: string): Record<string, string> {
	const raw = Buffer.from(value, "latin1");
	const text = raw.toString();
	return Buffer.from(text).equals(raw) ? { [name]: text } : { [`${name}64`]: raw.toString("base64") };
}

/** A line that cannot be read is skipped. */
function readBatches(path: string): ReadRecord {
	let bytes: Buffer;
	try {
		bytes = readFileSync(path);
	} catch (error) {
		if (errorCode(error) !== "ENOENT") log.warn("the record of changes cannot be read", { path });
		return { batches: [] };
	}
	const batches: ChangeBatch[] = [];
	let start = 0;
	// Line by line: the whole may be longer than a string can be.
	for (let end = bytes.indexOf(0x0a); end >= 0; end = bytes.indexOf(0x0a, start)) {
		const length = end - start;
		const batch =
			length > 0 && length <= limits.lineBytes ? decoded(bytes.toString("utf8", start, end)) : undefined;
		if (batch) batches.push(batch);
		start = end + 1;
	}
	return { batches, ...(start < bytes.length ? { tornAt: start } : {}) };
}

function decoded(line: string): ChangeBatch | undefined {
	try {
		const raw = JSON.parse(line) as ChangeBatch & { changes: RawChange[] };
		return { ...raw, changes: raw.changes.map(changeOf) };
	} catch {
		return undefined;
	}
}

interface RawText {
	path?: string;
	path64?: string;
	target?: string;
	target64?: string;
}

interface RawChange extends RawText {
	before: Image & RawText;
	after: Image & RawText;
}

function changeOf({ path, path64, before, after }: RawChange): ImageChange {
	return { path: byteString(path, path64), before: imageOf(before), after: imageOf(after) };
}

function imageOf(raw: Image & RawText): Image {
	return raw.kind === "link" ? { kind: "link", target: byteString(raw.target, raw.target64) } : raw;
}

function byteString(text: string | undefined, base64: string | undefined): string {
	if (base64 !== undefined) return Buffer.from(base64, "base64").toString("latin1");
	return Buffer.from(text ?? "").toString("latin1");
}
