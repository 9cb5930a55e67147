/** Reads git's index: which files are tracked, with the object and the file facts of when each was last added. */
import { readdirSync, statSync, type BigIntStats } from "node:fs";
import { join } from "node:path";

import { limits } from "../limits.ts";
import { readSmallFileSync } from "../small-file.ts";

const oidAt = 40;
/** Of SHA-1 and of SHA-256. */
const hashBytes = 20;
const longHashBytes = 32;
/** Git reads a smaller index in one go. */
const threadedEntries = 10_000;
const directoryMode = 0o040000;
/** Of files, executable ones, links and repositories. */
const modes: ReadonlySet<number> = new Set([0o100644, 0o100755, 0o120000, 0o160000]);
/** The extension of an index whose entries may be whole directories, with a slash at their end. */
const sparseName = "sdir";

/** Paths are strings of bytes (latin1), as names of files need not be text. They are relative to the repository. */
export class GitIndex {
	readonly bytes: Buffer;
	/** Where each entry begins, in the order of their paths. */
	readonly #starts: Uint32Array;
	/** Only for version 4, which stores of each path what differs from the one before. */
	readonly #paths: readonly string[] | undefined;
	/** When git wrote it. */
	readonly writtenNs: bigint;
	readonly #hashBytes: number;
	/** Where the extensions begin, behind the entries. */
	readonly #end: number;

	private constructor(
		bytes: Buffer,
		starts: Uint32Array,
		paths: readonly string[] | undefined,
		writtenNs: bigint,
		{ hash, end }: { readonly hash: number; readonly end: number },
	) {
		this.#hashBytes = hash;
		this.#end = end;
		this.bytes = bytes;
		this.#starts = starts;
		this.#paths = paths;
		this.writtenNs = writtenNs;
	}

	/** Undefined if there is none, or if it is of a kind that this does not read (split, sparse, SHA-256). */
	static read(gitDir: string): GitIndex | undefined {
		try {
			const path = join(gitDir, "index");
			const { mtimeNs } = statSync(path, { bigint: true });
			const bytes = readSmallFileSync(path, limits.gitIndexBytes);
			return bytes && GitIndex.parse(bytes, mtimeNs);
		} catch {
			// A repository without commits has no index; one that cannot be read is treated like it.
			return undefined;
		}
	}

	/**
	 * The paths that stand for repositories of their own, in an index of any kind and either hash. A part of a split one that only
	 * says where in the other part it belongs may mean any of its paths.
	 */
	static gitlinks(gitDir: string): string[] {
		const parts = partsOf(gitDir).flatMap((name) => {
			const bytes = readSmallFileSync(join(gitDir, name), limits.gitIndexBytes);
			return [hashBytes, longHashBytes].flatMap(
				(hash) => (bytes && GitIndex.parse(bytes, 0n, false, hash)) ?? [],
			);
		});
		const links = parts.flatMap((part) => part.submodules());
		if (!links.includes("")) return links;
		return parts.flatMap((part) => Array.from({ length: part.size }, (_, position) => part.path(position)));
	}

	/** A part of the path is empty, a directory above, or a repository. Git checks paths of commits, and not those of its index. */
	static leadsOut(path: string): boolean {
		return /(?:^|\/)(?:\.git|\.{0,2})(?:\/|$)/i.test(path) && path !== "";
	}

	/** The names of the index and of the parts that a split one shares. */
	static parts(gitDir: string): string[] {
		return partsOf(gitDir);
	}

	/**
	 * All paths of an index or of a part of one, of any kind; undefined if it cannot be read as one. Which hash it has is
	 * said by settings that a command may have written: what can be read both ways has the paths of both. A directory of a
	 * sparse index is named without the slash.
	 */
	static paths(file: string): string[] | undefined {
		const bytes = readSmallFileSync(file, limits.gitIndexBytes);
		const readings = [hashBytes, longHashBytes].flatMap(
			(hash) => (bytes && GitIndex.parse(bytes, 0n, false, hash)) ?? [],
		);
		if (readings.length === 0 || !readings.every((index) => index.hasOwnBlocks())) return undefined;
		return readings.flatMap((index) => {
			const isSparse = extensionsIn(index.bytes, index.#end, index.#hashBytes).some(
				(name) => name === sparseName,
			);
			return Array.from({ length: index.size }, (_, position) => {
				const path = index.path(position);
				const isDirectory = isSparse && path.endsWith("/") && index.#mode(position) === directoryMode;
				return isDirectory && path !== "/" ? path.slice(0, -1) : path;
			});
		});
	}

	/**
	 * The versions of files, by their path and a mark for each side of a conflict. An index of any kind; what a part of a split one
	 * replaces in the other has an empty path. `isWanted` is asked about each path, in whatever order a command has put them.
	 */
	static versions(file: string, isWanted: (path: string) => boolean): Map<string, string> {
		const bytes = readSmallFileSync(file, limits.gitIndexBytes);
		const found = new Map<string, string>();
		for (const hash of [hashBytes, longHashBytes]) {
			const index = bytes && GitIndex.parse(bytes, 0n, false, hash);
			if (!index) continue;
			for (let position = 0; position < index.size; position++) {
				const path = index.path(position);
				if (isWanted(path)) found.set(`${path}\0${index.#stage(position)}`, index.#version(position));
			}
		}
		return found;
	}

	/** Git reads a large index in blocks, from where a table says: they must be the entries in their order. */
	hasOwnBlocks(): boolean {
		if (this.size < threadedEntries) return true;
		for (let at = this.bytes.indexOf("IEOT"); at >= 0; at = this.bytes.indexOf("IEOT", at + 4)) {
			let position = 0;
			const end = at + 8 + (at + 8 <= this.bytes.length ? this.bytes.readUInt32BE(at + 4) : 0);
			for (let block = at + 12; block + 8 <= Math.min(end, this.bytes.length); block += 8) {
				// The first path of a block is whole in version 4, too.
				const start = this.#starts[position] ?? 0;
				const isWhole = !this.#paths || position === 0 || this.#isWhole(position, start);
				if (this.bytes.readUInt32BE(block) !== start || !isWhole) return false;
				position += this.bytes.readUInt32BE(block + 4);
			}
			if (position !== this.size) return false;
		}
		return true;
	}

	#isWhole(position: number, start: number): boolean {
		const { next } = offsetAt(this.bytes, start + nameAt(this.bytes, start, this.#hashBytes));
		const path = this.#paths?.[position] ?? "";
		return this.bytes.toString("latin1", next, next + path.length + 1) === `${path}\0`;
	}

	/** `isWhole`: undefined for one with an extension that gives its entries another meaning. */
	static parse(bytes: Buffer, writtenNs: bigint, isWhole = true, hash = hashBytes): GitIndex | undefined {
		if (bytes.length < 12 + hash || bytes.toString("latin1", 0, 4) !== "DIRC") return undefined;
		const version = bytes.readUInt32BE(4);
		const count = bytes.readUInt32BE(8);
		if (version < 2 || version > 4 || count * (oidAt + hash + 2) > bytes.length) return undefined;
		const starts = new Uint32Array(count);
		const paths: string[] = [];
		let at = 12;
		for (let index = 0; index < count; index++) {
			starts[index] = at;
			const name = at + nameAt(bytes, at, hash);
			if (version === 4) {
				const { drop, next } = offsetAt(bytes, name);
				const end = bytes.indexOf(0, next);
				if (end < 0) return undefined;
				const above = paths[index - 1] ?? "";
				paths.push(above.slice(0, Math.max(0, above.length - drop)) + bytes.toString("latin1", next, end));
				at = end + 1;
				if (!hasLength(bytes, starts[index] ?? 0, paths.at(-1)?.length ?? 0, hash)) return undefined;
			} else {
				const end = bytes.indexOf(0, name);
				if (end < 0 || !hasLength(bytes, at, end - name, hash)) return undefined;
				at += (end - at + 8) & ~7;
			}
		}
		// Those with a small first letter (`link`, `sdir`) change what the entries mean.
		if (isWhole && !extensionsIn(bytes, at, hash).every((name) => /^[A-Z]/.test(name))) return undefined;
		return new GitIndex(bytes, starts, version === 4 ? paths : undefined, writtenNs, { hash, end: at });
	}

	get size(): number {
		return this.#starts.length;
	}

	/** The position of a path; undefined if it is not tracked. */
	find(path: string): number | undefined {
		const at = this.#lowest(path);
		return at < this.size && this.path(at) === path ? at : undefined;
	}

	/** The positions of everything below a directory, whose path ends with a slash or is empty. */
	below(directory: string): { from: number; to: number } {
		if (directory === "") return { from: 0, to: this.size };
		// `0` is the character after the slash.
		return { from: this.#lowest(directory), to: this.#lowest(`${directory.slice(0, -1)}0`) };
	}

	path(position: number): string {
		if (this.#paths) return this.#paths[position] ?? "";
		const start = this.#starts[position] ?? 0;
		const name = start + nameAt(this.bytes, start, this.#hashBytes);
		const length = this.bytes.readUInt16BE(start + oidAt + this.#hashBytes) & 0xfff;
		const end = length < 0xfff ? name + length : this.bytes.indexOf(0, name);
		return this.bytes.toString("latin1", name, end);
	}

	/** The paths that stand for repositories of their own. */
	submodules(): string[] {
		const found: string[] = [];
		// Git looks at the kind alone. Of 100,000 entries this takes two milliseconds.
		for (let position = 0; position < this.size; position++)
			if ((this.#mode(position) & 0o170000) === 0o160000) found.push(this.path(position));
		return found;
	}

	#mode(position: number): number {
		return this.bytes.readUInt32BE((this.#starts[position] ?? 0) + 24);
	}

	oid(position: number): string {
		const start = (this.#starts[position] ?? 0) + oidAt;
		return this.bytes.toString("hex", start, start + this.#hashBytes);
	}

	/** Its kind and its object. */
	#version(position: number): string {
		const mode = this.bytes.readUInt32BE((this.#starts[position] ?? 0) + 24);
		return `${mode.toString(8)} ${this.oid(position)}`;
	}

	/** 0 where there is no conflict. */
	#stage(position: number): number {
		const flagsAt = (this.#starts[position] ?? 0) + oidAt + this.#hashBytes;
		return (this.bytes.readUInt16BE(flagsAt) >> 12) & 3;
	}

	/** Whether git has written it: it takes what it reads as it is, also paths that lead elsewhere and other modes. */
	isOrdinary(): boolean {
		const isOrdinaryAt = (position: number): boolean =>
			modes.has(this.#mode(position)) && !GitIndex.leadsOut(this.path(position));
		return this.hasOwnBlocks() && this.#starts.every((_, position) => isOrdinaryAt(position));
	}

	/** Whether a merge has left several versions of a file. */
	get hasConflicts(): boolean {
		return this.#starts.some((_, position) => this.#stage(position) !== 0);
	}

	/** Whether the file is the one that was added, by the facts that git compares. */
	isClean(position: number, file: BigIntStats): boolean {
		const start = this.#starts[position] ?? 0;
		const read = (offset: number): number => this.bytes.readUInt32BE(start + offset);
		const time = (offset: number): bigint => BigInt(read(offset)) * 1_000_000_000n + BigInt(read(offset + 4));
		const modified = time(8);
		const isLink = (read(24) & 0o170000) === 0o120000;
		return (
			modified === file.mtimeNs &&
			// A program may set the time of a file that it changed, but not this one.
			time(0) === file.ctimeNs &&
			// A file that changed within the same tick as the index may look the same.
			modified < this.writtenNs &&
			read(36) === Number(file.size & 0xffffffffn) &&
			(read(20) === 0 || read(20) === Number(file.ino & 0xffffffffn)) &&
			isLink === file.isSymbolicLink() &&
			(this.bytes.readUInt16BE(start + oidAt + this.#hashBytes) & 0xb000) === 0
		);
	}

	/** The first position whose path is not less. Git compares bytes, and so do strings of bytes. */
	#lowest(path: string): number {
		let low = 0;
		let high = this.size;
		while (low < high) {
			const middle = (low + high) >> 1;
			if (this.path(middle) < path) low = middle + 1;
			else high = middle;
		}
		return low;
	}
}

/** Git finds the next entry by the length that this one names. */
function hasLength(bytes: Buffer, start: number, length: number, hash: number): boolean {
	const named = bytes.readUInt16BE(start + oidAt + hash) & 0xfff;
	return named === Math.min(length, 0xfff);
}

/** Entries of version 3 may have two more bytes of flags. */
function nameAt(bytes: Buffer, start: number, hash: number): number {
	const flagsAt = oidAt + hash;
	// An entry may be cut off: then no name ends behind it.
	if (start + flagsAt + 2 > bytes.length) return bytes.length;
	return bytes.readUInt16BE(start + flagsAt) & 0x4000 ? flagsAt + 4 : flagsAt + 2;
}

/** Git's encoding of how many bytes to drop from the path before. */
function offsetAt(bytes: Buffer, from: number): { drop: number; next: number } {
	let at = from;
	let byte = bytes[at++] ?? 0;
	let drop = byte & 0x7f;
	while (byte & 0x80) {
		byte = bytes[at++] ?? 0;
		drop = ((drop + 1) << 7) | (byte & 0x7f);
	}
	return { drop, next: at };
}

/** The names of the extensions behind the entries. */
function* extensionsIn(bytes: Buffer, from: number, hash: number): Generator<string, void> {
	for (let at = from; at + 8 <= bytes.length - hash; at += 8 + bytes.readUInt32BE(at + 4))
		yield bytes.toString("latin1", at, at + 4);
}

/** Beside the index are parts that split ones share. */
function partsOf(gitDir: string): string[] {
	try {
		return readdirSync(gitDir).filter((name) => name === "index" || name.startsWith("sharedindex."));
	} catch {
		// There is no repository any more.
		return [];
	}
}
