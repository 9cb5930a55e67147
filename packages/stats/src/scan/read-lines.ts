/** Reads the whole lines of a file from an offset on, without decoding them. */
import { readSync } from "node:fs";

import { limits } from "../limits.ts";

/** A line is `bytes` from `start` to `end`, valid during the call; of a very long one, its two ends. `offset` is where it begins in the file. */
export type OnLine = (bytes: Buffer, start: number, end: number, offset: number) => void;

const newline = 0x0a;
let shared: Buffer | undefined;

/** Returns the end of the last whole line: what follows is still being written, or torn. */
export function readLines(file: number, from: number, to: number, onLine: OnLine): number {
	// One for all files: a first scan would otherwise allocate and fill as much as it reads.
	const buffer = (shared ??= Buffer.allocUnsafeSlow(limits.chunkBytes));
	let lineStart = from;
	let filled = 0;
	for (let at = from; at < to;) {
		const read = readSync(file, buffer, filled, Math.min(buffer.length - filled, to - at), at);
		if (read === 0) break;
		const base = at - filled;
		at += read;
		filled += read;
		let begin = lineStart - base;
		for (let search = filled - read; ;) {
			const end = buffer.indexOf(newline, search);
			if (end < 0 || end >= filled) break;
			if (end > begin) onLine(buffer, begin, end, base + begin);
			begin = search = end + 1;
			lineStart = base + begin;
		}
		buffer.copyWithin(0, begin, filled);
		filled -= begin;
		if (filled < buffer.length) continue;
		const end = readLong(file, buffer, { lineStart, at, to }, onLine);
		if (end === undefined) break;
		lineStart = at = end;
		filled = 0;
	}
	return lineStart;
}

/** A line that fills the buffer: passes on its two ends, and returns where the next one begins. */
function readLong(
	file: number,
	buffer: Buffer,
	{ lineStart, at, to }: { lineStart: number; at: number; to: number },
	onLine: OnLine,
): number | undefined {
	const head = Buffer.from(buffer.subarray(0, limits.endBytes));
	let tail = Buffer.from(buffer.subarray(buffer.length - limits.endBytes));
	for (let next = at; next < to;) {
		const read = readSync(file, buffer, 0, Math.min(buffer.length, to - next), next);
		if (read === 0) return undefined;
		const found = buffer.subarray(0, read).indexOf(newline);
		tail = Buffer.concat([tail, buffer.subarray(0, found < 0 ? read : found)]);
		tail = Buffer.from(tail.subarray(-limits.endBytes));
		if (found >= 0) {
			onLine(Buffer.concat([head, tail]), 0, head.length + tail.length, lineStart);
			return next + found + 1;
		}
		next += read;
	}
	return undefined;
}
