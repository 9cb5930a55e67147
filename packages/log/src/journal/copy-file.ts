/** Contents of files in one file, as they are copied before the first command. */
import { closeSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";

import { privateDirectory, shortId } from "@tau/utils";

import { packed } from "./image-store.ts";
import { limits } from "./limits.ts";

/** Where a content is. */
export interface CopyLocation {
	readonly at: number;
	readonly length: number;
}

export class CopyFile implements Disposable {
	readonly #open: () => number;
	#file: number | undefined;
	#end = 0;
	#count = 0;

	/** Opened at the first use. */
	constructor(open: () => number) {
		this.#open = open;
	}

	/** In a file without a name: it is gone with the process. */
	static unnamed(directory: string): CopyFile {
		return new CopyFile(() => {
			privateDirectory(directory);
			const path = join(directory, `${shortId()}.tmp`);
			const file = openSync(path, "wx+", 0o600);
			rmSync(path);
			return file;
		});
	}

	/** Undefined if there are too many, or if the disk is full. */
	add(content: Buffer): CopyLocation | undefined {
		if (this.#count >= limits.copies || this.#end + content.length > limits.copyBytes) return undefined;
		try {
			const bytes = packed(content);
			const file = this.#opened();
			for (let done = 0; done < bytes.length;)
				done += writeSync(file, bytes, done, bytes.length - done, this.#end + done);
			const copy = { at: this.#end, length: bytes.length };
			this.#end += bytes.length;
			this.#count++;
			return copy;
		} catch {
			// A full disk: the file is not kept.
			return undefined;
		}
	}

	/** Compressed. */
	read({ at, length }: CopyLocation): Buffer {
		const bytes = Buffer.alloc(length);
		readSync(this.#opened(), bytes, 0, length, at);
		return bytes;
	}

	[Symbol.dispose](): void {
		if (this.#file !== undefined) closeSync(this.#file);
		this.#file = undefined;
	}

	#opened(): number {
		return (this.#file ??= this.#open());
	}
}
