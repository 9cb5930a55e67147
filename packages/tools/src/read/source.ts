/** The bytes that are to be shown: of a file that stays open while they are needed, or in memory. */
import type { Machine, OpenedFile } from "@tau/sys";
import { limits } from "./limits.ts";

export interface Source {
	/** The model's name for the source, without a range. */
	readonly shown: string;
	/** Determines the kind by its extension. */
	readonly name: string;
	/** The beginning. */
	readonly head: Uint8Array;
	readonly size: number;
	/** The path on disk; absent for a source that is not on disk. */
	readonly path?: string;
	/** The kind of content, where the machine knows better than its first bytes. */
	readonly mimeType?: string;
	/** The path that `edit` uses; absent when it cannot be edited. */
	readonly editable?: string;
	/** Returns the whole content, or undefined when it is larger than `max`. */
	bytes(max: number): Promise<Uint8Array | undefined>;
	/** Reads from a position to the end, one chunk at a time; a chunk is only valid until the next. */
	chunks(from?: number): AsyncIterable<Uint8Array>;
	/** As that of an open file. */
	countLines?: OpenedFile["countLines"];
}

export function memorySource(shown: string, name: string, bytes: Uint8Array): Source {
	return {
		shown,
		name,
		head: bytes.subarray(0, limits.headBytes),
		size: bytes.length,
		bytes: async (max) => (bytes.length > max ? undefined : bytes),
		async *chunks(from = 0) {
			yield bytes.subarray(from);
		},
	};
}

/** An open file. Its reported size is not trusted: system files report 0, and a log grows while it is read. */
export class FileSource implements Source, AsyncDisposable {
	readonly shown: string;
	readonly name: string;
	readonly head: Uint8Array;
	readonly size: number;
	readonly path: string;
	readonly editable?: string;
	readonly mimeType?: string;
	readonly countLines?: OpenedFile["countLines"];
	readonly #file: OpenedFile;

	private constructor(from: FileName, file: OpenedFile, head: Uint8Array) {
		this.shown = from.shown;
		this.name = from.absolute;
		this.head = head;
		this.path = from.absolute;
		this.size = Math.max(file.size, head.length);
		if (from.editable) this.editable = from.absolute;
		if (file.mimeType !== undefined) this.mimeType = file.mimeType;
		if (file.countLines) this.countLines = file.countLines.bind(file);
		this.#file = file;
	}

	/** Rejects with the system's error; resolves with undefined when the path turns out not to be a file. */
	static async open(
		machine: Machine,
		from: FileName & { signal: AbortSignal },
	): Promise<FileSource | undefined> {
		const file = await machine.files.open(from.absolute, from.signal);
		if (!file) return undefined;
		try {
			const head = new Uint8Array(limits.headBytes);
			const filled = await file.readInto(head, 0);
			return new FileSource(from, file, head.subarray(0, filled));
		} catch (error) {
			await file[Symbol.asyncDispose]();
			throw error;
		}
	}

	async bytes(max: number): Promise<Uint8Array | undefined> {
		if (this.size > max) return undefined;
		const parts: Uint8Array[] = [];
		let length = 0;
		for await (const chunk of this.chunks()) {
			length += chunk.length;
			if (length > max) return undefined;
			parts.push(chunk.slice());
		}
		return parts.length === 1 ? parts[0] : Buffer.concat(parts);
	}

	async *chunks(from = 0): AsyncGenerator<Uint8Array> {
		if (from < this.head.length) yield this.head.subarray(from);
		// A file that is shorter than its head is completely known; one that reports size 0 may have more.
		if (this.head.length < limits.headBytes) return;
		const buffer = new Uint8Array(limits.chunkBytes);
		let at = Math.max(from, this.head.length);
		for (;;) {
			const filled = await this.#file.readInto(buffer, at);
			if (filled > 0) yield buffer.subarray(0, filled);
			if (filled < buffer.length) return;
			at += filled;
		}
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#file[Symbol.asyncDispose]();
	}
}

interface FileName {
	shown: string;
	absolute: string;
	/** True when `edit` may change it. */
	editable: boolean;
}
