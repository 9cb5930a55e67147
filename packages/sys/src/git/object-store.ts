/** Reads the contents of files from a repository's objects, loose and packed, without starting git. */
import { closeSync, fstatSync, openSync, readdirSync, readSync, statSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";

import { limits } from "../limits.ts";
import { readSmallFileSync } from "../small-file.ts";

type ObjectType = "commit" | "tree" | "blob" | "tag";

interface GitObject {
	type: ObjectType;
	bytes: Buffer;
}

const types: Readonly<Record<number, ObjectType>> = { 1: "commit", 2: "tree", 3: "blob", 4: "tag" };

/** Packs stay open: what a command deletes, even the whole repository, can be read until this is disposed of. */
export class GitObjects implements Disposable {
	readonly #directories: readonly string[];
	readonly #packs = new Map<string, Pack>();

	constructor(gitDir: string) {
		this.#directories = objectDirectories(gitDir);
		this.#openPacks();
	}

	/** Whether the object is in a pack, which stays readable. */
	isPacked(oid: string): boolean {
		return [...this.#packs.values()].some((pack) => pack.find(oid) !== undefined);
	}

	/** The content of a file; undefined if it is missing, damaged or too large. */
	blob(oid: string): Buffer | undefined {
		return this.content(oid, "blob");
	}

	/** The same for any object. */
	content(oid: string, type: ObjectType): Buffer | undefined {
		let found = this.#read(oid, 0);
		if (!found && this.#openPacks()) found = this.#read(oid, 0);
		if (found?.type !== type) return undefined;
		const hash = new Bun.CryptoHasher("sha1").update(`${type} ${found.bytes.length}\0`).update(found.bytes);
		return hash.digest("hex") === oid ? found.bytes : undefined;
	}

	[Symbol.dispose](): void {
		for (const pack of this.#packs.values()) pack[Symbol.dispose]();
		this.#packs.clear();
	}

	#read(oid: string, depth: number): GitObject | undefined {
		if (depth > limits.gitDeltaDepth) return undefined;
		try {
			for (const pack of this.#packs.values()) {
				const offset = pack.find(oid);
				if (offset !== undefined) return pack.read(offset, (base) => this.#read(base, depth + 1), depth);
			}
			return this.#loose(oid);
		} catch {
			// A damaged object is as good as a missing one.
			return undefined;
		}
	}

	#loose(oid: string): GitObject | undefined {
		for (const directory of this.#directories) {
			const packed = readOptional(join(directory, oid.slice(0, 2), oid.slice(2)));
			if (!packed) continue;
			const whole = inflated(packed, limits.gitObjectBytes);
			const end = whole.indexOf(0);
			const type = Object.values(types).find((each) => whole.toString("latin1", 0, end).startsWith(each));
			if (type) return { type, bytes: whole.subarray(end + 1) };
		}
		return undefined;
	}

	/** Returns whether there are new ones: git repacks now and then. */
	#openPacks(): boolean {
		const before = this.#packs.size;
		for (const directory of this.#directories) {
			for (const name of namesIn(join(directory, "pack"))) {
				const path = join(directory, "pack", name);
				if (!name.endsWith(".idx") || this.#packs.has(path) || this.#packs.size >= limits.gitPacks) continue;
				const pack = Pack.open(path);
				if (pack) this.#packs.set(path, pack);
			}
		}
		return this.#packs.size > before;
	}
}

class Pack implements Disposable {
	readonly #index: Buffer;
	readonly #file: number;
	readonly #size: number;
	readonly #count: number;

	private constructor(index: Buffer, file: number) {
		this.#index = index;
		this.#file = file;
		this.#size = fstatSync(file).size;
		this.#count = index.readUInt32BE(8 + 255 * 4);
	}

	static open(path: string): Pack | undefined {
		try {
			const index = readSmallFileSync(path, limits.gitPackIndexBytes);
			const packPath = path.replace(/\.idx$/, ".pack");
			// Opening a named pipe would block.
			if (!index || !statSync(packPath).isFile()) return undefined;
			// Version 2; version 1 was replaced in 2008.
			if (index.readUInt32BE(0) !== 0xff744f63 || index.readUInt32BE(4) !== 2) return undefined;
			const count = index.readUInt32BE(8 + 255 * 4);
			// A name, a checksum and an offset for each, and two checksums: what follows needs no bounds then.
			if (index.length < 8 + 1024 + count * 28 + 40) return undefined;
			return new Pack(index, openSync(packPath, "r"));
		} catch {
			return undefined;
		}
	}

	find(oid: string): number | undefined {
		const first = Number.parseInt(oid.slice(0, 2), 16);
		const fanout = (at: number): number => (at < 0 ? 0 : this.#index.readUInt32BE(8 + at * 4));
		let low = fanout(first - 1);
		let high = Math.min(fanout(first), this.#count);
		const names = 8 + 1024;
		const wanted = Buffer.from(oid, "hex");
		while (low < high) {
			const middle = Math.floor((low + high) / 2);
			const at = names + middle * 20;
			const order = this.#index.compare(wanted, 0, 20, at, at + 20);
			if (order === 0) return this.#offset(middle);
			if (order < 0) low = middle + 1;
			else high = middle;
		}
		return undefined;
	}

	read(offset: number, other: (oid: string) => GitObject | undefined, depth: number): GitObject | undefined {
		if (depth > limits.gitDeltaDepth) return undefined;
		const head = this.#bytes(offset, 64);
		let at = 0;
		let byte = head[at++] ?? 0;
		const kind = (byte >> 4) & 7;
		let size = byte & 0xf;
		for (let shift = 4; byte & 0x80; shift += 7) {
			byte = head[at++] ?? 0;
			size += (byte & 0x7f) * 2 ** shift;
		}
		if (size > limits.gitObjectBytes) return undefined;
		let base: GitObject | undefined;
		if (kind === 6) {
			byte = head[at++] ?? 0;
			let back = byte & 0x7f;
			while (byte & 0x80) {
				byte = head[at++] ?? 0;
				back = (back + 1) * 128 + (byte & 0x7f);
			}
			base = this.read(offset - back, other, depth + 1);
		} else if (kind === 7) {
			base = other(head.toString("hex", at, at + 20));
			at += 20;
		}
		const bytes = this.#inflate(offset + at, size);
		if (kind === 6 || kind === 7) return base && { type: base.type, bytes: patched(base.bytes, bytes) };
		const type = types[kind];
		return type && { type, bytes };
	}

	[Symbol.dispose](): void {
		closeSync(this.#file);
	}

	#offset(position: number): number {
		const short = 8 + 1024 + this.#count * 24;
		const offset = this.#index.readUInt32BE(short + position * 4);
		if (offset < 0x80000000) return offset;
		return Number(this.#index.readBigUInt64BE(short + this.#count * 4 + (offset - 0x80000000) * 8));
	}

	/** Compressed bytes have no length of their own; deflate adds at most this much to what cannot be compressed. */
	#inflate(offset: number, size: number): Buffer {
		const most = size + Math.ceil(size / 1000) + 1024;
		const bytes = inflated(this.#bytes(offset, most), Math.max(size, 1));
		if (bytes.length !== size) throw new Error("a damaged pack");
		return bytes;
	}

	#bytes(offset: number, length: number): Buffer {
		const bytes = Buffer.alloc(Math.max(0, Math.min(length, this.#size - offset)));
		return bytes.subarray(0, readSync(this.#file, bytes, 0, bytes.length, offset));
	}
}

/** Applies a delta: copies from the base, and new bytes. Throws if it does not fit. */
function patched(base: Buffer, delta: Buffer): Buffer {
	let at = 0;
	const size = (): number => {
		let value = 0;
		for (let shift = 0; ; shift += 7) {
			const byte = delta[at++] ?? 0;
			value += (byte & 0x7f) * 2 ** shift;
			if (!(byte & 0x80)) return value;
		}
	};
	const sourceSize = size();
	const targetSize = size();
	if (sourceSize !== base.length || targetSize > limits.gitObjectBytes) throw new Error("a damaged delta");
	const target = Buffer.alloc(targetSize);
	let end = 0;
	while (at < delta.length) {
		const command = delta[at++] ?? 0;
		if (command & 0x80) {
			let from = 0;
			let length = 0;
			for (let bit = 0; bit < 4; bit++) if (command & (1 << bit)) from += (delta[at++] ?? 0) * 2 ** (8 * bit);
			for (let bit = 0; bit < 3; bit++)
				if (command & (0x10 << bit)) length += (delta[at++] ?? 0) * 2 ** (8 * bit);
			length ||= 0x10000;
			end += base.copy(target, end, from, from + length);
		} else {
			end += delta.copy(target, end, at, at + command);
			at += command;
		}
	}
	if (end !== targetSize) throw new Error("a damaged delta");
	return target;
}

/** The repository's own, those of the main work tree, and those that it borrows. */
function objectDirectories(gitDir: string): string[] {
	const common = readOptional(join(gitDir, "commondir"))?.toString().trim();
	const own = join(common === undefined ? gitDir : resolve(gitDir, common), "objects");
	const all = [own];
	for (let index = 0; index < all.length && all.length < limits.gitAlternates; index++) {
		const directory = all[index] ?? own;
		const borrowed = readOptional(join(directory, "info/alternates"))?.toString().split("\n") ?? [];
		for (const line of borrowed) {
			if (line === "" || line.startsWith("#")) continue;
			const path = isAbsolute(line) ? line : resolve(directory, line);
			if (!all.includes(path)) all.push(path);
		}
	}
	return all;
}

function readOptional(path: string): Buffer | undefined {
	return readSmallFileSync(path, limits.gitObjectBytes);
}

function namesIn(directory: string): string[] {
	try {
		return readdirSync(directory);
	} catch {
		return [];
	}
}

/** Throws above `most` bytes. The module is loaded here, because a start has no time for it. */
function inflated(bytes: Uint8Array, most: number): Buffer {
	return process.getBuiltinModule("node:zlib").inflateSync(bytes, { maxOutputLength: most });
}
