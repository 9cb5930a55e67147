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
	#file: number | undefined;

	/** True if the file at this path, which has no links, contains the lines. */
	has(path: string, { lines, offset }: Found): boolean {
		if (path !== this.#path) this.#open(path);
		if (this.#file === undefined) return false;
		const bytes = "text" in lines ? Buffer.from(lines.text) : Buffer.from(lines.bytes, "base64");
		if (offset !== undefined && isAt(this.#file, bytes, offset)) return true;
		return hasDecoded(this.#file, bytes, offset);
	}

	[Symbol.dispose](): void {
		if (this.#file !== undefined) closeSync(this.#file);
		this.#file = undefined;
		this.#path = undefined;
	}

	#open(path: string): void {
		this[Symbol.dispose]();
		this.#path = path;
		try {
			this.#file = openHeld(path, constants.O_RDONLY | constants.O_NONBLOCK);
		} catch {
			// It is gone, or it leads elsewhere: its lines are not shown.
		}
	}
}

/** For a binary file that is named, ripgrep reads zeros as line ends. */
function isAt(file: number, bytes: Buffer, offset: number): boolean {
	const there = Buffer.alloc(bytes.length);
	if (readSync(file, there, 0, there.length, offset) < bytes.length) return false;
	if (there.equals(bytes)) return true;
	return there.includes(0) && Buffer.from(there.map((byte) => byte || 0x0a)).equals(bytes);
}

/** Ripgrep decodes files that begin with a byte order mark, and counts from behind it. */
function hasDecoded(file: number, bytes: Buffer, offset: number | undefined): boolean {
	const mark = Buffer.alloc(3);
	readSync(file, mark, 0, mark.length, 0);
	if (mark.equals(Buffer.from([0xef, 0xbb, 0xbf]))) return isAt(file, bytes, (offset ?? 0) + mark.length);
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
