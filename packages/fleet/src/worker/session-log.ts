/** The log of a task's session: written for one that continues elsewhere, and read as it grows. */
import { closeSync, fstatSync, openSync, readSync, writeFileSync } from "node:fs";

import { isRecord, uuidv7 } from "@tau/utils";

import { limits } from "../limits.ts";
import type { LogLine } from "../task.ts";

export interface LogHeader {
	readonly taskId: string;
	readonly lease: number;
	readonly cwd: string;
}

const newline = 10;

/** The lines of the last session in a log: one that started anew begins with a header of its own. */
export function lastSession(log: readonly LogLine[]): string[] {
	const start = log.findLastIndex(({ line }) => isHeader(line));
	return start < 0 ? [] : log.slice(start).map(({ line }) => line);
}

/** Writes the file that the session continues, and gives its length. The number of the lease is in its header. */
export function writeSession(
	path: string,
	{ taskId, lease, cwd }: LogHeader,
	lines: readonly string[],
): number {
	const [first, ...entries] = lines;
	const before: unknown = first === undefined ? undefined : JSON.parse(first);
	const now = { version: 3, id: uuidv7(), timestamp: new Date().toISOString() };
	const header = { type: "session", ...now, ...(isRecord(before) ? before : {}), cwd, task: taskId, lease };
	const text = [JSON.stringify(header), ...entries].map((line) => `${line}\n`).join("");
	writeFileSync(path, text, { mode: 0o600 });
	return Buffer.byteLength(text);
}

/** Lines of a log, and what to call when they are kept elsewhere: until then they are read again. */
export interface TailLines {
	readonly lines: readonly string[];
	done(): void;
}

/** Reads the whole lines that have been added to a file since those that are done. */
export class LogTail {
	#file: string;
	#at: number;

	constructor(file: string, at: number) {
		this.#file = file;
		this.#at = at;
	}

	/** `file`: the log that the session writes now; a new one is read from its beginning. */
	read(file: string): TailLines {
		if (file !== this.#file) {
			this.#file = file;
			this.#at = 0;
		}
		const handle = openSync(file, "r");
		try {
			const size = Math.min(fstatSync(handle).size - this.#at, limits.lineBytes);
			if (size <= 0) return { lines: [], done() {} };
			const bytes = Buffer.allocUnsafe(size);
			const read = bytes.subarray(0, readSync(handle, bytes, 0, size, this.#at));
			const end = read.lastIndexOf(newline) + 1;
			if (end === 0 && size === limits.lineBytes) throw new Error("A line of the session log is too long.");
			const next = this.#at + end;
			const lines = read.toString("utf8", 0, end).split("\n").filter(Boolean);
			return { lines, done: () => void (this.#at = next) };
		} finally {
			closeSync(handle);
		}
	}
}

function isHeader(line: string): boolean {
	return line.startsWith('{"type":"session",');
}
