/**
 * Keeps contents of files, compressed, each once under its hash, in the directory of a session. They are appended to
 * segments: creating a file for each takes ten times as long, and the oldest segment can be removed as a whole.
 */
import {
	closeSync,
	fstatSync,
	ftruncateSync,
	mkdirSync,
	openSync,
	readdirSync,
	readSync,
	writeSync,
} from "node:fs";
import { join } from "node:path";

import { errorCode, log } from "@tau/utils";

import { hashOf, type Image, type ReadImage } from "./image.ts";
import { limits } from "./limits.ts";

/** A segment is a row of these: the hash, the length, and that many compressed bytes. */
const hashBytes = 32;
const headBytes = hashBytes + 4;

interface Location {
	segment: string;
	/** Of the compressed bytes. */
	at: number;
	length: number;
}

interface Segment {
	name: string;
	/** Where the next entry begins. */
	end: number;
}

interface OpenedStore {
	directory: string;
	locations: Map<string, Location>;
	last: Segment | undefined;
}

export class ImageStore {
	readonly #directory: () => string;
	/** Read at the first use, for the directory that the session is in. */
	#read: OpenedStore | undefined;
	/** Entries that are not on disk yet. */
	#pending: Buffer[] = [];
	#pendingBytes = 0;
	#isComplete = true;
	/** Contents that did not fit on the disk, to tell them from those that were removed; no more than are named. */
	readonly #unwritten = new Set<string>();

	/** Called each time, because a session may move. */
	constructor(directory: () => string) {
		this.#directory = directory;
	}

	/** On disk after `flush`. */
	put(hash: string, pack: () => Uint8Array): void {
		const { locations } = this.#opened();
		if (locations.has(hash)) return;
		const bytes = pack();
		const segment = this.#current();
		const head = Buffer.alloc(headBytes);
		head.write(hash, 0, hashBytes, "hex");
		head.writeUInt32LE(bytes.length, hashBytes);
		locations.set(hash, { segment: segment.name, at: segment.end + headBytes, length: bytes.length });
		segment.end += headBytes + bytes.length;
		this.#pending.push(head, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
		this.#pendingBytes += headBytes + bytes.length;
		if (this.#pendingBytes > limits.pendingBytes) this.#write();
	}

	/** Whether this content is missing because it could not be written in this session. */
	isUnwritten(hash: string): boolean {
		return this.#unwritten.has(hash) && !this.has(hash);
	}

	/** Must come before the line of the record that refers to the contents. False if some could not be written since the last call. */
	flush(): boolean {
		this.#write();
		const isComplete = this.#isComplete;
		this.#isComplete = true;
		return isComplete;
	}

	#write(): void {
		const { directory, last } = this.#opened();
		if (this.#pendingBytes === 0 || !last) return;
		const parts = this.#pending;
		const start = last.end - this.#pendingBytes;
		this.#pending = [];
		this.#pendingBytes = 0;
		try {
			const file = openToAppend(directory, last.name);
			try {
				// What a crash tore is cut off by the next writer: to a reader, an entry that is being written looks torn.
				if (fstatSync(file).size > start) ftruncateSync(file, start);
				appendWhole(file, Buffer.concat(parts));
			} catch (error) {
				// On a full disk there may be room for some: a small file that was deleted, beside a large one that is new.
				for (let at = 0; at < parts.length; at += 2) tryAppend(file, Buffer.concat(parts.slice(at, at + 2)));
				throw error;
			} finally {
				closeSync(file);
			}
		} catch (error) {
			// What is missing is found again when the directory is read anew.
			this.#read = undefined;
			this.#isComplete = false;
			for (let at = 0; at < parts.length && this.#unwritten.size < limits.unwritten; at += 2)
				this.#unwritten.add(parts[at]?.toString("hex", 0, hashBytes) ?? "");
			log.warn("contents of changed files cannot be kept", { directory, reason: String(error) });
		}
	}

	/** Undefined if it is missing or damaged. */
	get(hash: string): Buffer | undefined {
		const bytes = this.#bytes(hash);
		if (!bytes) return undefined;
		try {
			// Loading it takes longer than all else of this module, and a start does not need it.
			const { zstdDecompressSync } = process.getBuiltinModule("node:zlib");
			// The bytes may come from another user, and claim to be any length.
			const content = zstdDecompressSync(bytes, { maxOutputLength: limits.fileBytes + 1 });
			return hashOf(content) === hash ? content : undefined;
		} catch {
			return undefined;
		}
	}

	has(hash: string): boolean {
		return this.#opened().locations.has(hash);
	}

	/** The segment that is written to; empty before the first one. */
	get lastSegment(): string {
		return this.#opened().last?.name ?? "";
	}

	/**
	 * Makes a segment superfluous, so that it can be removed: what is still needed of it is appended to the last one. False
	 * if that is most of it, or cannot be stored.
	 */
	vacate(segment: string, isNeeded: (hash: string) => boolean): boolean {
		const { locations, last } = this.#opened();
		if (last?.name === segment) return false;
		const inside = [...locations].filter(([, location]) => location.segment === segment);
		const kept = inside.filter(([hash]) => isNeeded(hash));
		const bytes = (each: typeof inside): number => each.reduce((sum, [, { length }]) => sum + length, 0);
		if (bytes(kept) * 2 > bytes(inside)) return false;
		for (const [hash] of kept) {
			const content = this.#bytes(hash);
			if (!content) continue;
			this.#opened().locations.delete(hash);
			this.put(hash, () => content);
		}
		return this.flush();
	}

	/** After segments were removed. */
	reload(): void {
		this.#write();
		this.#read = undefined;
	}

	#bytes(hash: string): Buffer | undefined {
		this.#write();
		const { directory, locations } = this.#opened();
		const location = locations.get(hash);
		if (!location) return undefined;
		try {
			const file = openSync(join(directory, location.segment), "r");
			try {
				const bytes = Buffer.alloc(location.length);
				return readSync(file, bytes, 0, bytes.length, location.at) === bytes.length ? bytes : undefined;
			} finally {
				closeSync(file);
			}
		} catch {
			return undefined;
		}
	}

	#opened(): OpenedStore {
		const directory = this.#directory();
		if (this.#read?.directory === directory) return this.#read;
		const locations = new Map<string, Location>();
		let last: Segment | undefined;
		for (const name of segmentsIn(directory)) last = readSegment(directory, name, locations);
		this.#read = { directory, locations, last };
		return this.#read;
	}

	/** The segment that is written to. */
	#current(): Segment {
		const read = this.#opened();
		if (read.last && read.last.end < limits.segmentBytes) return read.last;
		this.#write();
		const number = Number(/\d+/.exec(read.last?.name ?? "0")?.[0]) + 1;
		read.last = { name: `contents-${String(number).padStart(6, "0")}.pack`, end: 0 };
		return read.last;
	}
}

/** Oldest first. */
export function segmentsIn(directory: string): string[] {
	try {
		return readdirSync(directory)
			.filter((name) => /^contents-\d+\.pack$/.test(name))
			.toSorted();
	} catch {
		// Nothing was kept yet.
		return [];
	}
}

function openToAppend(directory: string, name: string): number {
	try {
		return openSync(join(directory, name), "a", 0o600);
	} catch (error) {
		if (errorCode(error) !== "ENOENT") throw error;
		mkdirSync(directory, { recursive: true, mode: 0o700 });
		return openSync(join(directory, name), "a", 0o600);
	}
}

/** All of the bytes, or none. */
function appendWhole(file: number, bytes: Buffer): void {
	const { size } = fstatSync(file);
	try {
		for (let done = 0; done < bytes.length;) done += writeSync(file, bytes, done);
	} catch (error) {
		ftruncateSync(file, size);
		throw error;
	}
}

function tryAppend(file: number, bytes: Buffer): void {
	try {
		appendWhole(file, bytes);
	} catch {
		// The caller reports that something is missing.
	}
}

/** The entries of a segment, up to one that a crash tore. */
function readSegment(directory: string, name: string, locations: Map<string, Location>): Segment {
	let file: number;
	try {
		file = openSync(join(directory, name), "r");
	} catch {
		// Nothing is added to what cannot be read.
		return { name, end: limits.segmentBytes };
	}
	try {
		const { size } = fstatSync(file);
		const head = Buffer.alloc(headBytes);
		let at = 0;
		while (at + headBytes <= size && readSync(file, head, 0, headBytes, at) === headBytes) {
			const length = head.readUInt32LE(hashBytes);
			if (at + headBytes + length > size) break;
			locations.set(head.toString("hex", 0, hashBytes), { segment: name, at: at + headBytes, length });
			at += headBytes + length;
		}
		return { name, end: at };
	} finally {
		closeSync(file);
	}
}

/** The fastest level: contents are kept while a command is being answered. */
export function packed(content: Uint8Array): Uint8Array {
	return Bun.zstdCompressSync(content, { level: 1 });
}

/** The image, with its content in the store. */
export function keepRead({ image, content }: ReadImage, store: ImageStore): Image {
	if (image.kind === "file" && content) store.put(image.hash, () => packed(content));
	return image;
}
