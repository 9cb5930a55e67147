/** Indexes a session file in one pass over its bytes: the offset of each entry and the fields of its head. */
import { readSync } from "node:fs";

import { limits } from "../limits.ts";
import { quickHead } from "./line-head.ts";
import { piecesOf, type Piece } from "./piece.ts";

const parentKey = Buffer.from('"parentId":');

export interface Scan {
	pieces: Piece[];
	/** The end of the last complete line; an incomplete one may follow. */
	wholeBytes: number;
}

/** `from` and `to` bound the part of the file that is scanned; `from` is the beginning of a line. */
export function scan(file: number, from: number, to: number): Scan {
	const chunk = Buffer.allocUnsafeSlow(Math.max(1, Math.min(limits.scanChunkBytes, to - from)));
	const pieces: Piece[] = [];
	let lineStart = from;
	for (let at = from; at < to;) {
		const read = readSync(file, chunk, 0, Math.min(chunk.length, to - at), at);
		if (read === 0) break;
		const bytes = chunk.subarray(0, read);
		for (let begin = 0; ;) {
			const newline = bytes.indexOf(0x0a, begin);
			if (newline === -1) break;
			const end = at + newline;
			if (lineStart >= at) takeLine(pieces, bytes, lineStart - at, newline, lineStart);
			else takeLongLine(pieces, file, lineStart, end);
			lineStart = end + 1;
			begin = newline + 1;
		}
		at += read;
	}
	checkLast(pieces, file);
	if (lineStart < to) takeWholly(pieces, file, lineStart, to - lineStart);
	return { pieces, wholeBytes: lineStart };
}

export function readSpan(file: number, offset: number, length: number, space?: Buffer): Buffer {
	const bytes = space && space.length >= length ? space : Buffer.allocUnsafe(length);
	let filled = 0;
	while (filled < length) {
		const read = readSync(file, bytes, filled, length - filled, offset + filled);
		if (read === 0) break;
		filled += read;
	}
	return bytes.subarray(0, filled);
}

/** A line with one head at its start and a brace at its end counts as complete; damage inside shows on reading. */
function takeLine(pieces: Piece[], bytes: Buffer, start: number, end: number, offset: number): void {
	const last = pieces.at(-1);
	const before = last?.kind === "entry" ? last.head.id : undefined;
	const head = endsAsObject(bytes, end) ? quickHead(bytes, start, end, before) : undefined;
	if (head && !hasSecondHead(bytes, start, end))
		pieces.push({ kind: "entry", offset, length: end - start, head });
	else pieces.push(...piecesOf(bytes.subarray(start, end), offset));
}

/** A line that spans several chunks. Of a very long line, the two ends are enough. */
function takeLongLine(pieces: Piece[], file: number, offset: number, end: number): void {
	const length = end - offset;
	if (length <= limits.salvageBytes)
		return takeLine(pieces, readSpan(file, offset, length), 0, length, offset);
	const start = readSpan(file, offset, limits.headBytes);
	const head = endsAsObject(readSpan(file, end - 2, 2), 2) ? quickHead(start, 0, start.length) : undefined;
	if (head) pieces.push({ kind: "entry", offset, length, head });
	else takeWholly(pieces, file, offset, length);
}

/** A run of zeros after a power failure can be larger than memory, so it is skipped. */
function takeWholly(pieces: Piece[], file: number, offset: number, length: number): void {
	if (length > limits.lineBytes) pieces.push({ kind: "broken", offset, length, head: undefined });
	else pieces.push(...piecesOf(readSpan(file, offset, length), offset));
}

/**
 * The next entry may follow an incomplete line directly: after a crash, pi appends without a newline. Inside a string
 * the quotes would be escaped. Searching for it is as cheap as searching for newlines.
 */
function hasSecondHead(bytes: Buffer, start: number, end: number): boolean {
	const second = bytes.indexOf(parentKey, bytes.indexOf(parentKey, start) + 1);
	return second !== -1 && second < end;
}

function endsAsObject(bytes: Buffer, end: number): boolean {
	const last = bytes[end - 1];
	return last === 0x7d || (last === 0x0d && bytes[end - 2] === 0x7d);
}

/** A power failure damages the last line, and new entries are attached to it, so it is parsed. */
function checkLast(pieces: Piece[], file: number): void {
	const last = pieces.at(-1);
	if (last?.kind !== "entry") return;
	pieces.pop();
	takeWholly(pieces, file, last.offset, last.length);
}
