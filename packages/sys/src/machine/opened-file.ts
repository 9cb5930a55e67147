/** Reads local files without waiting for a pipe or for a disk that does not respond. */
import { constants, fstatSync, statSync } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";

import { abortable, withTimeout } from "@tau/utils";

import { limits } from "./limits.ts";
import type { OpenedFile, ReadOptions } from "./machine.ts";

/** Undefined if it is not a regular file; rejects with the system's error. */
export async function openFile(path: string, signal: AbortSignal): Promise<OpenedFile | undefined> {
	const handle = await openHandle(path, signal);
	try {
		// The kernel has the metadata of an open file: the thread pool would take longer.
		const info = fstatSync(handle.fd);
		if (info.isFile()) {
			const { size } = info;
			return {
				size,
				readInto: (into, position) => readFrom({ handle, size }, into, position, signal),
				[Symbol.asyncDispose]: () => handle.close(),
			};
		}
	} catch (error) {
		await handle.close();
		throw error;
	}
	await handle.close();
	return undefined;
}

/** See `MachineFiles.read`. */
export async function readFile(path: string, options: ReadOptions): Promise<Uint8Array> {
	const { signal, maxBytes, range } = options;
	signal.throwIfAborted();
	// The metadata is cached by the kernel: the thread pool would take longer.
	const info = statSync(path);
	if (!info.isFile()) throw systemError("EINVAL", `${path} is not a regular file.`);
	// Twice as fast as a handle; files of the kernel report no size and are read in chunks.
	const isKnown = range === undefined && info.size > 0 && info.size <= maxBytes;
	const bytes = isKnown ? await inTime(Bun.file(path).bytes(), signal) : await readSteps(path, options);
	if (bytes.length > maxBytes) throw systemError("EFBIG", `${path} has more than ${maxBytes} bytes.`);
	return bytes;
}

/** Reads one byte more than allowed, to detect a larger file. */
async function readSteps(path: string, { signal, maxBytes, range }: ReadOptions): Promise<Uint8Array> {
	await using file = await openFile(path, signal);
	if (!file) throw systemError("EINVAL", `${path} is not a regular file.`);
	const start = range?.start ?? 0;
	const most = Math.min(range ? range.end - start : Number.POSITIVE_INFINITY, maxBytes + 1);
	const parts: Uint8Array[] = [];
	for (let length = 0; length < most;) {
		const part = new Uint8Array(Math.min(most - length, limits.chunkBytes));
		const filled = await file.readInto(part, start + length);
		length += filled;
		parts.push(part.subarray(0, filled));
		if (filled < part.length) break;
	}
	return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
}

function systemError(code: string, message: string): Error {
	return Object.assign(new Error(message), { code });
}

async function openHandle(path: string, signal: AbortSignal): Promise<FileHandle> {
	// Nonblocking: the file may have been replaced by a pipe.
	const opening = open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
	try {
		return await inTime(opening, signal);
	} catch (error) {
		// A handle that arrives late has no owner, so it is closed here.
		opening.then((handle) => handle.close()).catch(() => {});
		throw error;
	}
}

/** Fills the buffer as far as the file reaches. */
async function readFrom(
	{ handle, size }: { handle: FileHandle; size: number },
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
		filled += bytesRead;
		// Files of the kernel report no size: they end with an empty read.
		if (bytesRead === 0 || (size > 0 && position + filled === size)) break;
	}
	return filled;
}

/** A system call cannot be cancelled; waiting for it can. */
async function inTime<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
	using deadline = withTimeout(signal, limits.timeoutMs, "the disk does not respond");
	return await abortable(work, deadline.signal);
}
