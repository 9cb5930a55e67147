/** Reads and writes cassette files. A file is not trusted: it may be torn, newer, hostile, or no cassette at all. */
import {
	closeSync,
	fstatSync,
	openSync,
	readFileSync,
	renameSync,
	rmSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";

import { isRecord, UsageError } from "@tau/utils";

import type { Cassette, ExchangeLine, HeadLine, Line } from "./format.ts";
import { limits } from "./limits.ts";

/** zstd's mark at the beginning of a file. */
const magic = [0x28, 0xb5, 0x2f, 0xfd];

/** Throws a `UsageError` that names the file and what is wrong with it. */
export function readCassette(file: string): Cassette {
	return parseCassette(unpack(readBytes(file), file), file);
}

/** Throws a `UsageError` where no cassette could be written: found out before a session is recorded. */
export function checkTarget(file: string): void {
	const existing = statSync(file, { throwIfNoEntry: false });
	if (existing?.isDirectory()) throw new UsageError(`${file} is a directory. Name a file: demo.cassette`);
	if (existing && existing.size > 0 && !isCassette(file))
		throw new UsageError(`${file} exists and is not a cassette, so it is not replaced. Choose another name.`);
	if (!statSync(dirname(file), { throwIfNoEntry: false })?.isDirectory())
		throw new UsageError(`${dirname(file)} is not a directory, so nothing can be recorded there.`);
}

function isCassette(file: string): boolean {
	const bytes = readBytes(file);
	return magic.every((byte, at) => bytes[at] === byte);
}

/** Written whole or not at all; only its owner can read it. */
export function writeCassette(file: string, cassette: Cassette): number {
	const text = textOf(cassette);
	const bytes = zstdCompressSync(text);
	if (bytes.length > limits.fileBytes || Buffer.byteLength(text) > limits.unpackedBytes)
		throw new UsageError(
			`${file}: the recording is larger than ${megabytes(limits.fileBytes)}, or ${megabytes(limits.unpackedBytes)} before compression, and was not written.`,
		);
	const temporary = `${file}.${process.pid}.tmp`;
	try {
		writeFileSync(temporary, bytes, { mode: 0o600, flag: "wx" });
		renameSync(temporary, file);
	} catch (error) {
		rmSync(temporary, { force: true });
		throw new UsageError(`${file} cannot be written: ${reasonOf(error)}`);
	}
	return bytes.length;
}

export function textOf({ head, log, parts, exchanges }: Cassette): string {
	const lines: Line[] = [
		head,
		...log.map((line) => ({ type: "log", line }) as const),
		...[...parts].map(([key, value]) => ({ type: "part", key, value }) as const),
		...exchanges,
	];
	lines.push({ type: "end", lines: lines.length });
	return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

function readBytes(file: string): Buffer {
	let descriptor: number;
	try {
		// A pipe would be waited for, and a device never ends.
		const found = statSync(file);
		if (!found.isFile() && !found.isDirectory())
			throw new UsageError(`${file} is not a file, so it is no cassette.`);
		descriptor = openSync(file, "r");
	} catch (error) {
		throw error instanceof UsageError ? error : new UsageError(`${file} cannot be read: ${reasonOf(error)}`);
	}
	try {
		const { size } = fstatSync(descriptor);
		if (size > limits.fileBytes)
			throw new UsageError(`${file} is larger than a cassette may be (${megabytes(limits.fileBytes)}).`);
		return readFileSync(descriptor);
	} catch (error) {
		throw error instanceof UsageError ? error : new UsageError(`${file} cannot be read: ${reasonOf(error)}`);
	} finally {
		closeSync(descriptor);
	}
}

function unpack(bytes: Buffer, file: string): string {
	if (!magic.every((byte, at) => bytes[at] === byte))
		throw new UsageError(
			`${file} is not a cassette. Make one with --record, or: tau cassette make <session>`,
		);
	try {
		return zstdDecompressSync(bytes, { maxOutputLength: limits.unpackedBytes }).toString("utf8");
	} catch (error) {
		if (error instanceof RangeError)
			throw new UsageError(
				`${file} unpacks to more than ${megabytes(limits.unpackedBytes)}, and is refused.`,
			);
		throw torn(file);
	}
}

function parseCassette(text: string, file: string): Cassette {
	const lines = text.split("\n");
	if (lines.pop() !== "" || lines.length === 0) throw torn(file);
	if (lines.length > limits.lines)
		throw new UsageError(`${file} has more than ${limits.lines} lines, and is refused.`);
	const head = headOf(lines[0] ?? "", file);
	const last = parsed(lines.at(-1) ?? "", file, lines.length);
	if (last.type !== "end" || last.lines !== lines.length - 1) throw torn(file);
	const log: string[] = [];
	const parts = new Map<string, unknown>();
	const exchanges: ExchangeLine[] = [];
	for (const [at, line] of lines.slice(1, -1).entries()) {
		const row = parsed(line, file, at + 2);
		if (row.type === "log" && typeof row.line === "string") log.push(row.line);
		else if (row.type === "part" && typeof row.key === "string") parts.set(row.key, row.value);
		else if (row.type === "exchange" && isExchange(row)) exchanges.push(row);
		else throw new UsageError(`${file} line ${at + 2}: not a line of a cassette. Was the file edited?`);
	}
	checkLog(log, file);
	return { head, log, parts, exchanges };
}

function headOf(line: string, file: string): HeadLine {
	const row = parsed(line, file, 1);
	if (row.type !== "cassette" || typeof row.version !== "number" || !isRecord(row.facts))
		throw new UsageError(`${file} is compressed, but not a cassette.`);
	if (row.version > limits.version)
		throw new UsageError(
			`${file} was written by a newer Tau (format ${row.version}; this one reads ${limits.version}). Update: tau update --self`,
		);
	if (!isHead(row))
		throw new UsageError(`${file} line 1: not the first line of a cassette. Was the file edited?`);
	return row;
}

function isHead(row: Record<string, unknown>): row is Record<string, unknown> & HeadLine {
	const { facts, madeAt, masked } = row;
	if (!isRecord(facts) || typeof madeAt !== "string" || typeof masked !== "number") return false;
	const { tau, os, runtime, locale, timeZone, cores, settings = {}, doctor = [] } = facts;
	const isText = (value: unknown): boolean => typeof value === "string";
	return (
		[tau, os, runtime, locale, timeZone].every(isText) &&
		typeof cores === "number" &&
		isRecord(settings) &&
		Object.values(settings).every(isText) &&
		Array.isArray(doctor) &&
		doctor.every(isText)
	);
}

/** Entries are drawn and continued: each must be what a log has. */
function checkLog(log: readonly string[], file: string): void {
	for (const [at, line] of log.entries()) {
		const entry = parsed(line, file, at + 2);
		const isHeader = at === 0 && entry.type === "session" && typeof entry.id === "string";
		const isEntry = typeof entry.id === "string" && typeof entry.timestamp === "string";
		if (at === 0 ? !isHeader : !isEntry || line.includes("\n"))
			throw new UsageError(`${file}: line ${at + 1} of its session log is not an entry.`);
	}
}

function isExchange(row: Record<string, unknown>): row is Record<string, unknown> & ExchangeLine {
	const { at, model, message, raw, request } = row;
	return (
		typeof at === "number" &&
		isRecord(model) &&
		typeof model.api === "string" &&
		isRecord(message) &&
		Array.isArray(message.content) &&
		message.content.every((block) => isRecord(block) && typeof block.type === "string") &&
		(request === undefined || (isRecord(request) && isRecord(request.body))) &&
		(raw === undefined || isRaw(raw))
	);
}

function isRaw(raw: unknown): boolean {
	if (!isRecord(raw) || typeof raw.status !== "number" || raw.status < 200 || raw.status > 599) return false;
	if (!isRecord(raw.headers) || !Array.isArray(raw.chunks)) return false;
	return raw.chunks.every(
		(chunk) =>
			Array.isArray(chunk) && typeof chunk[0] === "number" && chunk[0] >= 0 && typeof chunk[1] === "string",
	);
}

function parsed(line: string, file: string, at: number): Record<string, unknown> {
	try {
		const row: unknown = JSON.parse(line);
		if (isRecord(row)) return row;
	} catch {
		// Said below, with the number of the line.
	}
	throw new UsageError(`${file} line ${at}: not valid JSON. The file is damaged.`);
}

function torn(file: string): UsageError {
	return new UsageError(`${file} ends early: it was not written or copied completely.`);
}

function reasonOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}

function megabytes(bytes: number): string {
	return `${Math.round(bytes / 1024 / 1024)} MB`;
}
