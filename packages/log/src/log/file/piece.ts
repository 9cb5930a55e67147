/** Classifies a stretch of a session file: an entry, a header, or the rest of a damaged one. */
import { isRecord } from "@tau/utils";

import type { EntryHead } from "../tree/entry.ts";
import { limits } from "../limits.ts";
import { parsedHead, quickHead, type RawHead } from "./line-head.ts";

interface Span {
	offset: number;
	length: number;
}

export type Piece =
	| (Span & { kind: "entry"; head: RawHead })
	| (Span & { kind: "header"; value: Record<string, unknown> })
	/** omp's slot for the current title, in front of the header. */
	| (Span & { kind: "title"; value: Record<string, unknown> })
	/** An incomplete line. If its beginning is readable, its position in the tree is known. */
	| (Span & { kind: "broken"; head: EntryHead | undefined });

export type BrokenPiece = Extract<Piece, { kind: "broken" }>;

/** `offset` is where the line starts in its file. Returns undefined for blank lines and JSON that is not an entry. */
export function piecesOf(line: Buffer, offset: number): Piece[] {
	const [start, end] = trimmed(line);
	if (start === end) return [];
	const whole = wholePiece(line.subarray(start, end), offset + start);
	return whole === "broken" ? salvage(line, offset) : whole;
}

/** Blanks, and the byte order mark that some editors put in front. */
function trimmed(line: Buffer): [start: number, end: number] {
	let start = line.indexOf("\ufeff") === 0 ? 3 : 0;
	let end = line.length;
	while (start < end && isBlank(line[start])) start++;
	while (end > start && isBlank(line[end - 1])) end--;
	return [start, end];
}

function isBlank(byte: number | undefined): boolean {
	return byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === 0x0a;
}

function wholePiece(bytes: Buffer, offset: number): Piece[] | "broken" {
	if (bytes.length > limits.lineBytes) return "broken";
	const value = parsed(bytes);
	if (value === undefined) return "broken";
	// Valid JSON without type and id is a foreign note: it stays in the file and is ignored.
	if (!isRecord(value) || (typeof value.type !== "string" && typeof value.id !== "string")) return [];
	const span = { offset, length: bytes.length };
	if (value.type === "session") return [{ kind: "header", ...span, value }];
	if (value.type === "title") return [{ kind: "title", ...span, value }];
	return [{ kind: "entry", ...span, head: parsedHead(value) }];
}

function parsed(bytes: Buffer): unknown {
	try {
		return JSON.parse(bytes.toString("utf8"));
	} catch {
		// Undefined means invalid JSON; no JSON text parses to undefined.
		return undefined;
	}
}

/**
 * The complete entries in a damaged line: an entry that was appended to an incomplete one, or that is next to
 * garbage.
 */
function salvage(line: Buffer, offset: number): Piece[] {
	const starts = line.length > limits.salvageBytes ? [0] : entryStarts(line);
	const pieces: Piece[] = [];
	for (let index = 0; index < starts.length;) {
		const start = starts[index] ?? 0;
		const salvaged = firstWhole(line, offset, starts, index);
		const next = salvaged?.next ?? index + 1;
		const end = starts[next] ?? line.length;
		if (salvaged) pieces.push(...salvaged.pieces);
		const rest = salvaged ? salvaged.end : start;
		if (!isEmpty(line, rest, end)) {
			const head = salvaged ? undefined : quickHead(line, rest, end);
			pieces.push({ kind: "broken", offset: offset + rest, length: end - rest, head });
		}
		index = next;
	}
	return pieces;
}

/** The positions where an entry may start: the beginning, and those that look like the head of one. */
function entryStarts(line: Buffer): number[] {
	const starts = [0];
	let at = 0;
	while (starts.length < limits.salvageStarts) {
		at = line.indexOf('{"type":"', at + 1);
		if (at === -1) break;
		if (quickHead(line, at, line.length)) starts.push(at);
	}
	return starts;
}

/** The shortest stretch from this start that parses. It ends at a brace; the bytes after it are garbage. */
function firstWhole(
	line: Buffer,
	offset: number,
	starts: readonly number[],
	index: number,
): { pieces: Piece[]; end: number; next: number } | undefined {
	const start = starts[index] ?? 0;
	for (let next = index + 1; next <= starts.length; next++) {
		const limit = starts[next] ?? line.length;
		const end = line.lastIndexOf("}", limit - 1) + 1;
		if (end <= start) continue;
		const pieces = wholePiece(line.subarray(start, end), offset + start);
		if (pieces !== "broken") return { pieces, end, next };
	}
	return undefined;
}

function isEmpty(line: Buffer, start: number, end: number): boolean {
	for (let at = start; at < end; at++) if (!isBlank(line[at])) return false;
	return true;
}
