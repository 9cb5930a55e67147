/** Reads a tar archive header by header: its entries and their positions. */
import { limits } from "../limits.ts";
import { ArchiveError, decodeName, entryPath, type ArchiveEntry } from "./entry.ts";

export const blockLength = 512;

export interface TarEntry extends ArchiveEntry {
	/** The entry's bytes in the archive: its headers, its content, and the padding of the last block. */
	start: number;
	end: number;
	/** Its own header, after those that only carry long names. */
	header: number;
	content: number;
}

export interface TarArchive {
	bytes: Uint8Array;
	entries: TarEntry[];
}

/** Names, targets and sizes that do not fit into their header. */
type Long = { path?: string; target?: string; size?: number };

/** Throws `ArchiveError`. */
export function openTar(bytes: Uint8Array): TarArchive {
	const entries: TarEntry[] = [];
	let at = 0;
	let start = 0;
	let long: Long = {};
	while (at + blockLength <= bytes.length && !isEmptyBlock(bytes, at)) {
		if (!isHeader(bytes, at)) throw damaged(`there is no header at byte ${at}`);
		const type = String.fromCharCode(bytes[at + 156] ?? 0);
		const size = long.size ?? numberAt(bytes, at + 124, 12);
		const content = at + blockLength;
		const end = content + Math.ceil(size / blockLength) * blockLength;
		if (content + size > bytes.length) throw damaged("its last entry is truncated");
		const body = bytes.subarray(content, content + size);
		if (type === "L") long.path = decodeName(untilNul(body));
		else if (type === "K") long.target = decodeName(untilNul(body));
		else if (type === "x") Object.assign(long, paxValues(body));
		else if (type !== "g") {
			entries.push({ ...describe(bytes, at, type, size, long), start, end, header: at, content });
			if (entries.length > limits.archiveEntries) {
				throw new ArchiveError("too-large", `The archive has more than ${limits.archiveEntries} entries.`);
			}
			long = {};
			start = end;
		}
		at = end;
	}
	return { bytes, entries };
}

/** True if there is a valid header at this position. */
export function isHeader(bytes: Uint8Array, at: number): boolean {
	if (at + blockLength > bytes.length) return false;
	return checksum(bytes, at) === numberAt(bytes, at + 148, 8);
}

/** The sum of all bytes of a header, with its own checksum counted as spaces. */
export function checksum(bytes: Uint8Array, at: number): number {
	let sum = 0;
	for (let index = 0; index < blockLength; index++) {
		sum += index >= 148 && index < 156 ? 0x20 : (bytes[at + index] ?? 0);
	}
	return sum;
}

function describe(bytes: Uint8Array, at: number, type: string, size: number, long: Long): ArchiveEntry {
	const field = (from: number, length: number): string =>
		decodeName(untilNul(bytes.subarray(at + from, at + from + length)));
	// GNU's own headers ("ustar  ") have times where others have the first part of a long name.
	const prefix = field(257, 6) === "ustar" ? field(345, 155) : "";
	const name = long.path ?? (prefix === "" ? field(0, 100) : `${prefix}/${field(0, 100)}`);
	const isDirectory = type === "5" || name.endsWith("/");
	const isLink = type === "1" || type === "2";
	const isFile = type === "0" || type === "\0" || type === "7";
	return {
		path: entryPath(name),
		kind: isDirectory ? "directory" : isLink ? "link" : isFile ? "file" : "other",
		size: isFile ? size : 0,
		...(isLink ? { target: long.target ?? field(157, 100) } : {}),
	};
}

/** Octal digits, or a binary number after a set first bit. */
function numberAt(bytes: Uint8Array, at: number, length: number): number {
	const field = bytes.subarray(at, at + length);
	if (((field[0] ?? 0) & 0x80) !== 0) {
		return field.reduce((value, byte, index) => value * 256 + (index === 0 ? byte & 0x7f : byte), 0);
	}
	const digits = decodeName(untilNul(field)).trim();
	return /^[0-7]+$/.test(digits) ? parseInt(digits, 8) : 0;
}

/** Records of the form `<length> <key>=<value>\n`, where the length includes the whole record. */
function paxValues(body: Uint8Array): Long {
	const values: Long = {};
	let at = 0;
	while (at < body.length) {
		const space = body.indexOf(0x20, at);
		const length = space < 0 ? 0 : Number(decodeName(body.subarray(at, space)));
		if (!Number.isInteger(length) || length <= 0) break;
		const [key, ...rest] = decodeName(body.subarray(space + 1, at + length - 1)).split("=");
		const value = rest.join("=");
		if (key === "path") values.path = value;
		if (key === "linkpath") values.target = value;
		if (key === "size" && /^\d{1,15}$/.test(value)) values.size = Number(value);
		at += length;
	}
	return values;
}

function untilNul(bytes: Uint8Array): Uint8Array {
	const end = bytes.indexOf(0);
	return end < 0 ? bytes : bytes.subarray(0, end);
}

function isEmptyBlock(bytes: Uint8Array, at: number): boolean {
	for (let index = at; index < at + blockLength; index++) {
		if (bytes[index] !== 0) return false;
	}
	return true;
}

function damaged(how: string): ArchiveError {
	return new ArchiveError("damaged", `The tar archive is damaged: ${how}.`);
}
