/** Puts one file into a ZIP archive; every other entry keeps its bytes, times and modes. */
import { promisify } from "node:util";
import { deflateRaw } from "node:zlib";
import { ArchiveError, findEntry } from "./entry.ts";
import { openZip, type ZipEntry } from "./zip.ts";

const deflate = promisify(deflateRaw);

/** An empty archive is its end record. */
const emptyZip = Uint8Array.from([0x50, 0x4b, 5, 6, ...Array<number>(18).fill(0)]);
/** 2.0: directories and deflate. */
const version = 20;
const fromUnix = 3;
const utf8Names = 1 << 11;
const plainFile = 0o100644;

/** Returns the whole new archive; throws `ArchiveError`. */
export async function putIntoZip(
	bytes: Uint8Array | undefined,
	path: string,
	content: Uint8Array,
): Promise<Uint8Array> {
	const archive = openZip(bytes ?? emptyZip);
	if (archive.isZip64) {
		const message = "The archive uses 64-bit ZIP, which can be read but not written. Use zip -u.";
		throw new ArchiveError("unsupported", message);
	}
	const replaced = findEntry(archive.entries, path);
	if (replaced && replaced.kind !== "file") {
		throw new ArchiveError(
			"not-a-file",
			`${path} is a ${replaced.kind} in the archive. Choose another name.`,
		);
	}
	const parts: Uint8Array[] = [];
	let length = 0;
	const add = (part: Uint8Array): number => {
		parts.push(part);
		length += part.length;
		return length - part.length;
	};
	// The bytes before the first entry may be a program that unpacks the archive.
	const regions = regionsOf(archive.entries, archive.directory);
	add(archive.bytes.subarray(0, regions[0]?.start ?? archive.directory));
	const moved = new Map<ZipEntry, number>();
	for (const { entry, start, end } of regions) {
		if (entry.path !== path) moved.set(entry, add(archive.bytes.subarray(start, end)));
	}
	const made = await newEntry(path, content, replaced);
	const record = withOffset(made.record, add(made.local));
	const records = archive.entries.flatMap((entry) => {
		const offset = moved.get(entry);
		if (offset !== undefined) return [withOffset(entry.record, offset)];
		return entry === replaced ? [record] : [];
	});
	if (!replaced) records.push(record);
	const directory = length;
	for (const each of records) add(each);
	add(endRecord(records.length, length - directory, directory, archive.comment));
	return Buffer.concat(parts);
}

type Region = { entry: ZipEntry; start: number; end: number };

/** Each entry's bytes reach to the next entry, so that data after the content is copied too. */
function regionsOf(entries: readonly ZipEntry[], directory: number): Region[] {
	const sorted = entries.toSorted((a, b) => a.localOffset - b.localOffset);
	return sorted.map((entry, index) => {
		const end = sorted[index + 1]?.localOffset ?? directory;
		if (end < entry.localOffset) {
			throw new ArchiveError("damaged", "The ZIP archive is damaged: its entries overlap.");
		}
		return { entry, start: entry.localOffset, end };
	});
}

async function newEntry(
	path: string,
	content: Uint8Array,
	replaced: ZipEntry | undefined,
): Promise<{ local: Uint8Array; record: Uint8Array }> {
	const name = Buffer.from(path);
	const packed = await deflate(content);
	const isPacked = packed.length < content.length;
	const data = isPacked ? packed : content;
	// From "version needed" to the lengths of name and extra field; the same in both headers.
	const shared = Buffer.alloc(26);
	shared.writeUInt16LE(version, 0);
	shared.writeUInt16LE(utf8Names, 2);
	shared.writeUInt16LE(isPacked ? 8 : 0, 4);
	const { date, time } = dosTime(new Date());
	shared.writeUInt16LE(time, 6);
	shared.writeUInt16LE(date, 8);
	shared.writeUInt32LE(Bun.hash.crc32(content), 10);
	shared.writeUInt32LE(data.length, 14);
	shared.writeUInt32LE(content.length, 18);
	shared.writeUInt16LE(name.length, 22);

	const local = Buffer.concat([Buffer.from([0x50, 0x4b, 3, 4]), shared, name, data]);
	const rest = Buffer.alloc(14);
	// The file's mode and system are kept when only the content is new.
	const old = replaced && Buffer.from(replaced.record);
	rest.writeUInt32LE(old?.readUInt32LE(38) ?? (plainFile << 16) >>> 0, 6);
	const madeBy = Buffer.from([version, old?.[5] ?? fromUnix]);
	const record = Buffer.concat([Buffer.from([0x50, 0x4b, 1, 2]), madeBy, shared, rest, name]);
	return { local, record };
}

function dosTime(now: Date): { date: number; time: number } {
	return {
		date: ((now.getFullYear() - 1980) << 9) | ((now.getMonth() + 1) << 5) | now.getDate(),
		time: (now.getHours() << 11) | (now.getMinutes() << 5) | (now.getSeconds() >> 1),
	};
}

function withOffset(record: Uint8Array, offset: number): Uint8Array {
	const copy = Buffer.from(record);
	copy.writeUInt32LE(offset, 42);
	return copy;
}

function endRecord(count: number, size: number, directory: number, comment: Uint8Array): Uint8Array {
	const end = Buffer.alloc(22);
	end.writeUInt32LE(0x06054b50, 0);
	end.writeUInt16LE(count, 8);
	end.writeUInt16LE(count, 10);
	end.writeUInt32LE(size, 12);
	end.writeUInt32LE(directory, 16);
	end.writeUInt16LE(comment.length, 20);
	return Buffer.concat([end, comment]);
}
