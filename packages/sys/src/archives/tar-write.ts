/** Puts one file into a tar archive; every other entry keeps its bytes. */
import { ArchiveError, findEntry } from "./entry.ts";
import { blockLength, checksum, openTar } from "./tar.ts";

/** Tar pads archives to this length, as tapes required it. */
const recordLength = 20 * blockLength;
/** The maximum length of a name in a header. */
const nameLength = 100;

/** Returns the whole new archive; throws `ArchiveError`. */
export function putIntoTar(bytes: Uint8Array | undefined, path: string, content: Uint8Array): Uint8Array {
	const archive = openTar(bytes ?? new Uint8Array());
	const replaced = findEntry(archive.entries, path);
	if (replaced && replaced.kind !== "file") {
		throw new ArchiveError(
			"not-a-file",
			`${path} is a ${replaced.kind} in the archive. Choose another name.`,
		);
	}
	const old = replaced && archive.bytes.subarray(replaced.header, replaced.header + blockLength);
	const made = newEntry(path, content, old);
	const parts: Uint8Array[] = [];
	for (const entry of archive.entries) {
		if (entry === replaced) parts.push(...made);
		else if (entry.path !== path) parts.push(archive.bytes.subarray(entry.start, entry.end));
	}
	if (!replaced) parts.push(...made);
	const length = parts.reduce((sum, part) => sum + part.length, 0);
	// Two empty blocks end an archive.
	const whole = Math.ceil((length + 2 * blockLength) / recordLength) * recordLength;
	return Buffer.concat([...parts, new Uint8Array(whole - length)]);
}

function newEntry(path: string, content: Uint8Array, old: Uint8Array | undefined): Uint8Array[] {
	const name = Buffer.from(path);
	const parts: Uint8Array[] = [];
	if (name.length > nameLength) {
		const record = paxRecord("path", path);
		parts.push(header(Buffer.from("pax-header"), record.length, "x", undefined), ...blocks(record));
	}
	parts.push(header(name.subarray(0, nameLength), content.length, "0", old), ...blocks(content));
	return parts;
}

function paxRecord(key: string, value: string): Uint8Array {
	const rest = Buffer.byteLength(` ${key}=${value}\n`);
	// The length includes its own digits.
	let length = rest + 1;
	while (String(length).length + rest !== length) length = String(length).length + rest;
	return Buffer.from(`${length} ${key}=${value}\n`);
}

/** Mode and owner are those of the replaced entry. */
function header(name: Uint8Array, size: number, type: string, old: Uint8Array | undefined): Uint8Array {
	const block = Buffer.alloc(blockLength);
	if (old) block.set(old);
	else block.write("0000644\x000000000\x000000000\0", 100);
	block.fill(0, 0, nameLength);
	block.set(name, 0);
	block.write(`${octal(size, 11)}\0${octal(Math.floor(Date.now() / 1000), 11)}\0`, 124);
	block.write(type, 156);
	block.fill(0, 157, 257);
	block.write("ustar\x0000", 257);
	block.fill(0, 345, 500);
	block.write(`${octal(checksum(block, 0), 6)}\0 `, 148);
	return block;
}

function octal(value: number, digits: number): string {
	return value.toString(8).padStart(digits, "0");
}

function blocks(content: Uint8Array): Uint8Array[] {
	const rest = content.length % blockLength;
	return rest === 0 ? [content] : [content, new Uint8Array(blockLength - rest)];
}
