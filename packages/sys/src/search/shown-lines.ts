/** Checks that what ripgrep has found is in the file at that path: another program may have put a link in its way. */
import { closeSync, constants, fstatSync, readSync } from "node:fs";

import { openHeld } from "../walk/index.ts";
import { limits } from "./limits.ts";
import type { RipgrepText } from "./records.ts";

/** A match as ripgrep reports it. `offset`: of its lines in the file. */
interface Found {
	readonly lines: RipgrepText;
	readonly offset: number | undefined;
}

/** Holds the file of the last match: ripgrep reports one file after the other. */
export class ShownLines implements Disposable {
	#path: string | undefined;
	#file: FileWindow | undefined;
	/** One file at a time is open. */
	readonly #buffer = Buffer.allocUnsafe(limits.windowBytes);

	/** True if the file at this path, which has no links, contains the lines. */
	has(path: string, { lines, offset }: Found): boolean {
		if (path !== this.#path) this.#open(path);
		if (this.#file === undefined) return false;
		const bytes = "text" in lines ? Buffer.from(lines.text) : Buffer.from(lines.bytes, "base64");
		if (offset !== undefined && this.#file.has(bytes, offset)) return true;
		return hasDecoded(this.#file, bytes, offset);
	}

	[Symbol.dispose](): void {
		this.#file?.[Symbol.dispose]();
		this.#file = undefined;
		this.#path = undefined;
	}

	#open(path: string): void {
		this[Symbol.dispose]();
		this.#path = path;
		try {
			this.#file = new FileWindow(openHeld(path, constants.O_RDONLY | constants.O_NONBLOCK), this.#buffer);
		} catch {
			// It is gone, or it leads elsewhere: its lines are not shown.
		}
	}
}

/** An open file, of which a part is in memory: the lines of a file come in order, and most are close to each other. */
class FileWindow implements Disposable {
	readonly file: number;
	readonly #buffer: Buffer;
	#bytes: Buffer = empty;
	#start = 0;

	constructor(file: number, buffer: Buffer) {
		this.file = file;
		this.#buffer = buffer;
	}

	/** For a binary file that is named, ripgrep reads zeros as line ends. */
	has(bytes: Buffer, offset: number): boolean {
		if (offset < this.#start || offset + bytes.length > this.#start + this.#bytes.length)
			this.#read(offset, bytes.length);
		const from = offset - this.#start;
		const to = from + bytes.length;
		if (to > this.#bytes.length) return false;
		if (this.#bytes.compare(bytes, 0, bytes.length, from, to) === 0) return true;
		const there = this.#bytes.subarray(from, to);
		return there.includes(0) && Buffer.from(there.map((byte) => byte || 0x0a)).equals(bytes);
	}

	[Symbol.dispose](): void {
		closeSync(this.file);
	}

	#read(start: number, least: number): void {
		const buffer = least > this.#buffer.length ? Buffer.allocUnsafe(least) : this.#buffer;
		this.#bytes = buffer.subarray(0, readSync(this.file, buffer, 0, buffer.length, start));
		this.#start = start;
	}
}

const empty = Buffer.alloc(0);

/** Ripgrep decodes files that begin with a byte order mark, and counts from behind it. */
function hasDecoded(window: FileWindow, bytes: Buffer, offset: number | undefined): boolean {
	const { file } = window;
	const mark = Buffer.alloc(3);
	readSync(file, mark, 0, mark.length, 0);
	if (mark.equals(Buffer.from([0xef, 0xbb, 0xbf]))) return window.has(bytes, (offset ?? 0) + mark.length);
	const encoding = encodings.get(mark.toString("hex", 0, 2) as "fffe");
	if (encoding === undefined || fstatSync(file).size > limits.decodedBytes) return false;
	const whole = Buffer.alloc(fstatSync(file).size);
	readSync(file, whole, 0, whole.length, 0);
	return Buffer.from(new TextDecoder(encoding).decode(whole)).includes(bytes);
}

const encodings = new Map([
	["fffe", "utf-16le"],
	["feff", "utf-16be"],
] as const);
