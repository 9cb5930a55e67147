/** Sets damaged lines of a session file aside, in place: no complete line moves, and nothing is lost. */
import { closeSync, fsyncSync, ftruncateSync, openSync, writeSync } from "node:fs";

import type { Arrangement } from "./arrange.ts";
import { limits } from "../limits.ts";
import type { EntryNode } from "../tree/node.ts";
import { readSpan } from "./scan.ts";
import { newline, writeWhole } from "./write-session.ts";

interface Span {
	offset: number;
	length: number;
}

type Broken = Arrangement["broken"][number];

/**
 * First every damaged line is copied to `<file>.damaged` and synced. Then a damaged tail is cut off, and a damaged line
 * in the middle is overwritten with its placeholder entry. Throws the file system's error; the completed steps are
 * valid. Returns the new size.
 */
export function repair(path: string, broken: readonly Broken[], size: number): number {
	const file = openSync(path, "r+");
	try {
		setAside(
			path,
			file,
			broken.map(({ piece }) => piece),
		);
		let end = size;
		for (const { piece, node } of broken) {
			if (piece.offset + piece.length === size) end = piece.offset;
			else overwrite(file, piece, node);
		}
		if (end < size) ftruncateSync(file, end);
		fsyncSync(file);
		return end;
	} finally {
		closeSync(file);
	}
}

function setAside(path: string, file: number, spans: readonly Span[]): void {
	const aside = openSync(`${path}.damaged`, "a", 0o600);
	try {
		for (const { offset, length } of spans) copyLine(file, aside, offset, length);
		fsyncSync(aside);
	} finally {
		closeSync(aside);
	}
}

/** Copies in chunks, because a crash may leave any amount of data; without zeros, which carry no information. */
function copyLine(from: number, to: number, offset: number, length: number): void {
	let copied = 0;
	const zeros = Buffer.alloc(Math.min(limits.scanChunkBytes, length));
	for (let at = 0; at < length; at += zeros.length) {
		const chunk = readSpan(from, offset + at, Math.min(zeros.length, length - at));
		if (chunk.equals(zeros.subarray(0, chunk.length))) continue;
		const text = chunk.includes(0) ? chunk.filter((byte) => byte !== 0) : chunk;
		writeWhole(to, Buffer.from(text));
		copied += text.length;
	}
	if (copied > 0) writeWhole(to, newline);
}

/** Returns a line of the same length: the placeholder entry, if it fits, and blanks. Every reader skips blanks. */
function overwrite(file: number, { offset, length }: Span, node: EntryNode | undefined): void {
	const before = offset > 0 && !isNewline(file, offset - 1) ? "\n" : "";
	const after = length > before.length && !isNewline(file, offset + length) ? "\n" : "";
	const room = length - before.length - after.length;
	const text = node?.kept === undefined ? "" : JSON.stringify(node.kept);
	const line = Buffer.byteLength(text) <= room ? text : "";
	const parts = [Buffer.from(before + line), ...blanks(room - Buffer.byteLength(line)), Buffer.from(after)];
	let at = offset;
	for (const part of parts) {
		for (let done = 0; done < part.length;)
			done += writeSync(file, part, done, part.length - done, at + done);
		at += part.length;
	}
}

function* blanks(count: number): Generator<Buffer> {
	for (let rest = count; rest > 0; rest -= limits.scanChunkBytes) {
		yield Buffer.alloc(Math.min(rest, limits.scanChunkBytes), " ");
	}
}

function isNewline(file: number, offset: number): boolean {
	return readSpan(file, offset, 1)[0] === 0x0a;
}
