/** Reads a ZIP archive by its central directory: the list of its entries, and single entries. */
import { Readable } from "node:stream";
import { promisify } from "node:util";
import { createInflateRaw, inflateRaw } from "node:zlib";
import { limits } from "../limits.ts";
import { ArchiveError, decodeName, entryPath, type ArchiveEntry } from "./entry.ts";

export interface ZipEntry extends ArchiveEntry {
	method: number;
	crc: number;
	packedSize: number;
	/** The position of the entry's own header. */
	localOffset: number;
	/** Its record in the central directory. */
	record: Uint8Array;
}

export interface ZipArchive {
	bytes: Uint8Array;
	entries: ZipEntry[];
	/** The position of the central directory. */
	directory: number;
	/** The bytes after the numbers of the end record. */
	comment: Uint8Array;
	/** True if sizes or counts need 64 bits. */
	isZip64: boolean;
}

const endSignature = 0x06054b50;
const endLength = 22;
const end64Signature = 0x06064b50;
const end64Length = 56;
const locator64Signature = 0x07064b50;
const locator64Length = 20;
const recordSignature = 0x02014b50;
const recordLength = 46;
const localSignature = 0x04034b50;
const localLength = 30;
const maxUint16 = 0xffff;
const maxUint32 = 0xffffffff;
/** The file type in the upper half of Unix attributes. */
const typeMask = 0o170000;
const directoryType = 0o040000;
const linkType = 0o120000;
const fromUnix = 3;

const inflate = promisify(inflateRaw);

/** Throws `ArchiveError`. */
export function openZip(bytes: Uint8Array): ZipArchive {
	const view = viewOf(bytes);
	const end = findEnd(view);
	if (end === undefined) throw damaged("its end is missing; the file may be truncated");
	let count = view.getUint16(end + 10, true);
	let directory = view.getUint32(end + 16, true);
	const isZip64 = count === maxUint16 || directory === maxUint32;
	if (isZip64) ({ count, directory } = readEnd64(view, end));
	if (count > limits.archiveEntries) {
		const message = `The archive has ${count} entries; at most ${limits.archiveEntries} are read.`;
		throw new ArchiveError("too-large", message);
	}
	const comment = bytes.subarray(end + endLength, end + endLength + view.getUint16(end + 20, true));
	// Bytes in front of the archive (a program that unpacks it) shift all positions in the table.
	const moved = isZip64 ? 0 : end - view.getUint32(end + 12, true) - directory;
	if (moved < 0) throw damaged("its table of contents is truncated");
	const entries = readDirectory(bytes, directory + moved, count);
	for (const entry of entries) entry.localOffset += moved;
	return { bytes, entries, directory: directory + moved, comment, isZip64 };
}

/** The last end record. */
function findEnd(view: DataView): number | undefined {
	const first = Math.max(0, view.byteLength - endLength - maxUint16);
	for (let at = view.byteLength - endLength; at >= first; at--) {
		if (view.getUint32(at, true) === endSignature) return at;
	}
	return undefined;
}

function readEnd64(view: DataView, end: number): { count: number; directory: number } {
	const locator = end - locator64Length;
	if (locator < 0 || view.getUint32(locator, true) !== locator64Signature) {
		return { count: view.getUint16(end + 10, true), directory: view.getUint32(end + 16, true) };
	}
	const at = Number(view.getBigUint64(locator + 8, true));
	if (at + end64Length > view.byteLength || view.getUint32(at, true) !== end64Signature) {
		throw damaged("its 64-bit end is broken");
	}
	return {
		count: Number(view.getBigUint64(at + 32, true)),
		directory: Number(view.getBigUint64(at + 48, true)),
	};
}

function readDirectory(bytes: Uint8Array, start: number, count: number): ZipEntry[] {
	const view = viewOf(bytes);
	const entries: ZipEntry[] = [];
	let at = start;
	for (let index = 0; index < count; index++) {
		if (at + recordLength > bytes.length || view.getUint32(at, true) !== recordSignature) {
			throw damaged("its table of contents is broken");
		}
		const nameAndExtra = view.getUint16(at + 28, true) + view.getUint16(at + 30, true);
		const end = at + recordLength + nameAndExtra + view.getUint16(at + 32, true);
		if (end > bytes.length) throw damaged("its table of contents is truncated");
		entries.push(readRecord(bytes.subarray(at, end)));
		at = end;
	}
	return entries;
}

function readRecord(record: Uint8Array): ZipEntry {
	const view = viewOf(record);
	const nameLength = view.getUint16(28, true);
	const name = decodeName(record.subarray(recordLength, recordLength + nameLength));
	const large = largeNumbers(record, recordLength + nameLength);
	const unixType = view.getUint8(5) === fromUnix ? (view.getUint32(38, true) >>> 16) & typeMask : 0;
	const isDirectory = /[\\/]$/.test(name) || unixType === directoryType;
	return {
		path: entryPath(name),
		kind: isDirectory ? "directory" : unixType === linkType ? "link" : "file",
		size: large(view.getUint32(24, true)),
		packedSize: large(view.getUint32(20, true)),
		localOffset: large(view.getUint32(42, true)),
		method: view.getUint16(10, true),
		crc: view.getUint32(16, true),
		record,
		...((view.getUint16(8, true) & 1) === 1 ? { encrypted: true as const } : {}),
	};
}

/**
 * Returns numbers that do not fit into 32 bits from the extra field, which contains them in the order of the calls.
 */
function largeNumbers(record: Uint8Array, extraStart: number): (short: number) => number {
	const view = viewOf(record);
	const extraEnd = extraStart + view.getUint16(30, true);
	let at = extraStart;
	while (at + 4 <= extraEnd && view.getUint16(at, true) !== 1) at += 4 + view.getUint16(at + 2, true);
	let next = at + 4;
	return (short) => {
		if (short !== maxUint32 || next + 8 > extraEnd) return short;
		next += 8;
		return Number(view.getBigUint64(next - 8, true));
	};
}

/** The content of a file; throws `ArchiveError`. */
export async function readZipEntry(archive: ZipArchive, entry: ZipEntry): Promise<Uint8Array> {
	if (entry.encrypted) throw encrypted(entry);
	if (entry.size > limits.archiveEntryBytes) {
		const most = limits.archiveEntryBytes;
		const message = `${entry.path} has ${entry.size} bytes unpacked; at most ${most} are read.`;
		throw new ArchiveError("too-large", message);
	}
	const content = await unpack(packedBytes(archive.bytes, entry), entry);
	if (content.length !== entry.size || Bun.hash.crc32(content) !== entry.crc) {
		throw damaged(`the content of ${entry.path} does not match its checksum`);
	}
	return content;
}

/** The content of a file piece by piece, for one that is too large to hold; throws `ArchiveError`. */
export async function* zipEntryChunks(archive: ZipArchive, entry: ZipEntry): AsyncGenerator<Uint8Array> {
	if (entry.method !== 8) {
		yield await readZipEntry(archive, entry);
		return;
	}
	if (entry.encrypted) throw encrypted(entry);
	const packed = packedBytes(archive.bytes, entry);
	const stream = Readable.from(slices(packed)).pipe(createInflateRaw());
	let size = 0;
	try {
		for await (const chunk of stream) {
			size += chunk.length;
			// A wrong size is a mismatch and not a bomb.
			if (size > entry.size) throw damaged(`the content of ${entry.path} is larger than declared`);
			yield chunk;
		}
	} catch (error) {
		throw error instanceof ArchiveError ? error : damaged(`cannot unpack ${entry.path}`);
	} finally {
		stream.destroy();
	}
	if (size !== entry.size) throw damaged(`the content of ${entry.path} is smaller than declared`);
}

function* slices(bytes: Uint8Array): Generator<Uint8Array> {
	for (let at = 0; at < bytes.length; at += packedSlice) yield bytes.subarray(at, at + packedSlice);
}

const packedSlice = 16 * 1024;

function encrypted({ path }: ZipEntry): ArchiveError {
	return new ArchiveError("encrypted", `${path} is encrypted. Unpack the archive with its password first.`);
}

function packedBytes(bytes: Uint8Array, { localOffset, packedSize, path }: ZipEntry): Uint8Array {
	const view = viewOf(bytes);
	if (localOffset + localLength > bytes.length || view.getUint32(localOffset, true) !== localSignature) {
		throw damaged(`${path} is not where the table of contents says`);
	}
	const nameLength = view.getUint16(localOffset + 26, true);
	const start = localOffset + localLength + nameLength + view.getUint16(localOffset + 28, true);
	if (start + packedSize > bytes.length) throw damaged(`${path} is truncated`);
	return bytes.subarray(start, start + packedSize);
}

async function unpack(packed: Uint8Array, entry: ZipEntry): Promise<Uint8Array> {
	if (entry.method === 0) return packed;
	if (entry.method !== 8) {
		const message = `${entry.path} uses compression method ${entry.method}; only deflate is supported.`;
		throw new ArchiveError("unsupported", message);
	}
	try {
		// One byte more than declared, so that a wrong size is a mismatch and not a bomb.
		return await inflate(packed, { maxOutputLength: entry.size + 1 });
	} catch {
		// zlib's message is about its own state; the entry is what matters.
		throw damaged(`cannot unpack ${entry.path}`);
	}
}

function damaged(how: string): ArchiveError {
	return new ArchiveError("damaged", `The ZIP archive is damaged: ${how}.`);
}

function viewOf(bytes: Uint8Array): DataView {
	return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
