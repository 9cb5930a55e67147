/** Whole archives: lists them, reads one entry, adds one entry. */
import { stat } from "node:fs/promises";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { nearest } from "@tau/utils";
import { limits } from "../limits.ts";
import {
	ArchiveError,
	findEntry,
	safePath,
	type ArchiveEntry,
	type ArchiveRefusal,
	type ArchiveSource,
} from "./entry.ts";
import { archiveKind, type ArchiveKind } from "./kind.ts";
import { isHeader, openTar, type TarArchive } from "./tar.ts";
import { putIntoTar } from "./tar-write.ts";
import { openZip, readZipEntry, type ZipArchive } from "./zip.ts";
import { putIntoZip } from "./zip-write.ts";

type Opened = { kind: "zip"; archive: ZipArchive } | { kind: "tar"; archive: TarArchive };

const unzip = promisify(gunzip);
const zip = promisify(gzip);

/** `parsing/archives.ts` is the entry point of these three. */
export function listArchive(
	source: ArchiveSource,
): Promise<{ ok: true; entries: ArchiveEntry[] } | ArchiveRefusal> {
	return answered(async () => {
		const { archive } = await open(source);
		const entries = archive.entries.map(({ path: name, kind, size, target, encrypted }) => ({
			path: name,
			kind,
			size,
			...(target === undefined ? {} : { target }),
			...(encrypted === undefined ? {} : { encrypted }),
		}));
		return { ok: true, entries };
	});
}

export function readArchiveEntry(
	source: ArchiveSource,
	entry: string,
): Promise<{ ok: true; bytes: Uint8Array } | ArchiveRefusal> {
	return answered(async () => {
		const opened = await open(source);
		if (opened.kind === "zip") {
			const zipEntry = fileEntry(opened.archive.entries, entry);
			return { ok: true, bytes: await readZipEntry(opened.archive, zipEntry) };
		}
		const tarEntry = fileEntry(opened.archive.entries, entry);
		if (tarEntry.size > limits.archiveEntryBytes) {
			const most = limits.archiveEntryBytes;
			throw new ArchiveError(
				"too-large",
				`${entry} has ${tarEntry.size} bytes; at most ${most} are supported.`,
			);
		}
		return {
			ok: true,
			bytes: opened.archive.bytes.slice(tarEntry.content, tarEntry.content + tarEntry.size),
		};
	});
}

export function addToArchive(
	name: string,
	old: Uint8Array | undefined,
	entry: string,
	content: Uint8Array | string,
): Promise<{ ok: true; bytes: Uint8Array } | ArchiveRefusal> {
	return answered(async () => {
		const path = safePath(entry);
		const bytes = typeof content === "string" ? Buffer.from(content) : content;
		const kind = old === undefined ? archiveKind(name) : kindOf(old);
		if (kind === undefined) {
			throw new ArchiveError("not-an-archive", `${name} is no archive: use .zip, .tar, .tar.gz or .tgz.`);
		}
		return { ok: true, bytes: await put(kind, old, path, bytes) };
	});
}

async function put(
	kind: ArchiveKind,
	old: Uint8Array | undefined,
	name: string,
	content: Uint8Array,
): Promise<Uint8Array> {
	if (kind === "zip") return putIntoZip(old, name, content);
	if (kind === "tar") return putIntoTar(old, name, content);
	return zip(putIntoTar(old && (await unpackGzip(old)), name, content));
}

async function open(source: ArchiveSource): Promise<Opened> {
	const bytes = typeof source === "string" ? await load(source) : source.bytes;
	const path = typeof source === "string" ? source : source.name;
	const kind = kindOf(bytes);
	if (kind === "zip") return { kind, archive: openZip(bytes) };
	const tar = kind === "tar.gz" ? await unpackGzip(bytes) : bytes;
	// An empty tar is nothing but zeros; anything else must begin with a header.
	if (kind === undefined || (kind === "tar.gz" && !isHeader(tar, 0) && tar.some((byte) => byte !== 0))) {
		throw new ArchiveError("not-an-archive", `${path} is neither a ZIP nor a tar archive.`);
	}
	return { kind: "tar", archive: openTar(tar) };
}

/** By the bytes, because names can be wrong. */
function kindOf(bytes: Uint8Array): ArchiveKind | undefined {
	const [first, second, third] = bytes;
	if (first === 0x50 && second === 0x4b) return "zip";
	if (first === 0x1f && second === 0x8b && third === 8) return "tar.gz";
	if (isHeader(bytes, 0)) return "tar";
	if (bytes.length >= 1024 && bytes.every((byte) => byte === 0)) return "tar";
	return hasZipEnd(bytes) ? "zip" : undefined;
}

/** A ZIP may have anything in front of it, such as the program that unpacks it. */
function hasZipEnd(bytes: Uint8Array): boolean {
	return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).lastIndexOf("PK\x05\x06") > 0;
}

async function unpackGzip(bytes: Uint8Array): Promise<Uint8Array> {
	try {
		return await unzip(bytes, { maxOutputLength: limits.archiveUnpackedBytes });
	} catch (error) {
		if (error instanceof RangeError) {
			const most = limits.archiveUnpackedBytes;
			throw new ArchiveError("too-large", `The archive has more than ${most} bytes unpacked.`);
		}
		throw new ArchiveError("damaged", "The gzip data of the archive is damaged or truncated.");
	}
}

async function load(path: string): Promise<Uint8Array> {
	const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
		if (error.code === "ENOENT") throw new ArchiveError("missing", `${path} does not exist.`);
		throw error;
	});
	if (!found.isFile()) throw new ArchiveError("not-an-archive", `${path} is not a file.`);
	if (found.size > limits.archiveBytes) {
		const message = `${path} has ${found.size} bytes; archives can have at most ${limits.archiveBytes}.`;
		throw new ArchiveError("too-large", message);
	}
	return Bun.file(path).bytes();
}

function fileEntry<T extends ArchiveEntry>(entries: readonly T[], requested: string): T {
	const found = findEntry(entries, requested);
	if (found?.kind === "file") return found;
	if (found === undefined) {
		const files = entries.filter(({ kind }) => kind === "file").map(({ path }) => path);
		const close = nearest(requested, files);
		const hint = close.length > 0 ? ` Did you mean ${close.join(" or ")}?` : "";
		throw new ArchiveError("not-found", `${requested} is not in the archive.${hint}`);
	}
	const what = found.target === undefined ? `a ${found.kind}` : `a link to ${found.target}`;
	throw new ArchiveError("not-a-file", `${requested} is ${what}, not a file.`);
}

async function answered<T>(work: () => Promise<T>): Promise<T | ArchiveRefusal> {
	try {
		return await work();
	} catch (error) {
		if (error instanceof ArchiveError) return { ok: false, problem: error.problem, message: error.message };
		// What the file system says (no permission, no space) names the path itself.
		return { ok: false, problem: "io", message: error instanceof Error ? error.message : String(error) };
	}
}
