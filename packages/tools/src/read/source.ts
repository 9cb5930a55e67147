/** The bytes that are to be shown: of a file that stays open while they are needed, or in memory. */
import { constants } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";

import { abortable, withTimeout } from "@tau/utils";

import { limits } from "./limits.ts";

export interface Source {
	/** As the model calls it, without a range. */
	readonly shown: string;
	/** Tells the kind by its ending. */
	readonly name: string;
	/** The beginning. */
	readonly head: Uint8Array;
	readonly size: number;
	/** Where it lies on disk; absent for what does not. */
	readonly path?: string;
	/** Where `edit` finds it; absent where it cannot be edited. */
	readonly editable?: string;
	/** The whole, or nothing where there is more than `max`. */
	bytes(max: number): Promise<Uint8Array | undefined>;
	/** From the beginning to the end, one piece at a time; a piece is only valid until the next. */
	chunks(): AsyncIterable<Uint8Array>;
}

export function memorySource(shown: string, name: string, bytes: Uint8Array): Source {
	return {
		shown,
		name,
		head: bytes.subarray(0, limits.headBytes),
		size: bytes.length,
		bytes: async (max) => (bytes.length > max ? undefined : bytes),
		async *chunks() {
			yield bytes;
		},
	};
}

/** A file that is open. Its size is not believed: files of the system say 0, and a log grows while it is read. */
export class FileSource implements Source, AsyncDisposable {
	readonly shown: string;
	readonly name: string;
	readonly head: Uint8Array;
	readonly size: number;
	readonly path: string;
	readonly editable?: string;
	readonly #handle: FileHandle;
	readonly #signal: AbortSignal;

	private constructor(from: Opened, head: Uint8Array) {
		this.shown = from.shown;
		this.name = from.absolute;
		this.head = head;
		this.path = from.absolute;
		this.size = Math.max(from.size, head.length);
		if (from.editable) this.editable = from.absolute;
		this.#handle = from.handle;
		this.#signal = from.signal;
	}

	/** Rejects with what the system says; nothing for what is no file after all. */
	static async open(
		from: Pick<Opened, "shown" | "absolute" | "editable" | "signal">,
	): Promise<FileSource | undefined> {
		const handle = await openHandle(from.absolute, from.signal);
		try {
			const info = await inTime(handle.stat(), from.signal);
			if (info.isFile()) {
				const head = new Uint8Array(limits.headBytes);
				const filled = await fill(handle, head, 0, from.signal);
				return new FileSource({ ...from, handle, size: info.size }, head.subarray(0, filled));
			}
		} catch (error) {
			await handle.close();
			throw error;
		}
		await handle.close();
		return undefined;
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

	async *chunks(): AsyncGenerator<Uint8Array> {
		if (this.head.length > 0) yield this.head;
		// A file that is shorter than its head is known whole; one that says 0 may have more.
		if (this.head.length < limits.headBytes) return;
		const buffer = new Uint8Array(limits.chunkBytes);
		let at = this.head.length;
		for (;;) {
			const filled = await fill(this.#handle, buffer, at, this.#signal);
			if (filled > 0) yield buffer.subarray(0, filled);
			if (filled < buffer.length) return;
			at += filled;
		}
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#handle.close();
	}
}

interface Opened {
	shown: string;
	absolute: string;
	/** Whether `edit` may change it. */
	editable: boolean;
	signal: AbortSignal;
	handle: FileHandle;
	size: number;
}

async function openHandle(path: string, signal: AbortSignal): Promise<FileHandle> {
	// Without waiting: somebody may have put a pipe in the place of the file.
	const opening = open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
	try {
		return await inTime(opening, signal);
	} catch (error) {
		// Nobody waits any more for a handle that comes late; one that never comes has nothing to close.
		opening.then((handle) => handle.close()).catch(() => {});
		throw error;
	}
}

/** As much as there is and fits. */
async function fill(
	handle: FileHandle,
	into: Uint8Array,
	position: number,
	signal: AbortSignal,
): Promise<number> {
	let filled = 0;
	while (filled < into.length) {
		const { bytesRead } = await inTime(
			handle.read(into, filled, into.length - filled, position + filled),
			signal,
		);
		if (bytesRead === 0) break;
		filled += bytesRead;
	}
	return filled;
}

/** The system cannot be called off; whoever waits can. */
async function inTime<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
	using deadline = withTimeout(signal, limits.timeoutMs, "the disk does not respond");
	return await abortable(work, deadline.signal);
}
