/** Reads local files without waiting for a pipe or for a disk that does not respond. */
import { closeSync, constants, fstatSync, read, statSync } from "node:fs";
import { open } from "node:fs/promises";

import { abortable, withTimeout } from "@tau/utils";

import { openHeld } from "../walk/index.ts";
import { limits } from "./limits.ts";
import type { OpenedFile, ReadOptions } from "./machine.ts";

/** Undefined if it is not a regular file; rejects with the system's error. */
export async function openFile(path: string, signal: AbortSignal): Promise<OpenedFile | undefined> {
	const handle = await openHandle(path, signal);
	return await opened({ fd: handle.fd, close: () => handle.close() }, signal);
}

/** The same for a path without links: rejects if it leads elsewhere now. */
export async function openUnlinkedFile(path: string, signal: AbortSignal): Promise<OpenedFile | undefined> {
	signal.throwIfAborted();
	const fd = openHeld(path, readFlags);
	return await opened({ fd, close: async () => closeSync(fd) }, signal);
}

interface Descriptor {
	readonly fd: number;
	close(): Promise<void>;
}

async function opened(file: Descriptor, signal: AbortSignal): Promise<OpenedFile | undefined> {
	try {
		// The kernel has the metadata of an open file: the thread pool would take longer.
		const info = fstatSync(file.fd);
		if (info.isFile()) {
			const { size } = info;
			return {
				size,
				readInto: (into, position) => readFrom({ fd: file.fd, size }, into, position, signal),
				[Symbol.asyncDispose]: () => file.close(),
			};
		}
	} catch (error) {
		await file.close();
		throw error;
	}
	await file.close();
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
	const bytes = isKnown
		? await inTime(Bun.file(path).bytes(), signal)
		: await readSteps(path, openFile(path, signal), options);
	return bounded(bytes, path, maxBytes);
}

/** The same for a path without links: rejects if it leads elsewhere now. */
export async function readUnlinkedFile(path: string, options: ReadOptions): Promise<Uint8Array> {
	return bounded(
		await readSteps(path, openUnlinkedFile(path, options.signal), options),
		path,
		options.maxBytes,
	);
}

function bounded(bytes: Uint8Array, path: string, maxBytes: number): Uint8Array {
	if (bytes.length > maxBytes) throw systemError("EFBIG", `${path} has more than ${maxBytes} bytes.`);
	return bytes;
}

/** Reads one byte more than allowed, to detect a larger file. */
async function readSteps(
	path: string,
	opening: Promise<OpenedFile | undefined>,
	{ maxBytes, range }: ReadOptions,
): Promise<Uint8Array> {
	await using file = await opening;
	if (!file) throw systemError("EINVAL", `${path} is not a regular file.`);
	const start = range?.start ?? 0;
	const rest = file.size > start ? file.size - start + 1 : Number.POSITIVE_INFINITY;
	const most = Math.min(range ? range.end - start : Number.POSITIVE_INFINITY, maxBytes + 1);
	const parts: Uint8Array[] = [];
	for (let length = 0; length < most;) {
		const part = new Uint8Array(Math.min(most - length, rest, limits.chunkBytes));
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

/** Nonblocking: the file may have been replaced by a pipe. */
const readFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

async function openHandle(path: string, signal: AbortSignal): Promise<Awaited<ReturnType<typeof open>>> {
	const opening = open(path, readFlags);
	try {
		return await inTime(opening, signal);
	} catch (error) {
		// A handle that arrives late has no owner, so it is closed here.
		opening.then((handle) => handle.close()).catch(() => {});
		throw error;
	}
}

function readAt(fd: number, into: Uint8Array, position: number): Promise<number> {
	const { promise, resolve, reject } = Promise.withResolvers<number>();
	read(fd, into, 0, into.length, position, (error, bytes) => (error ? reject(error) : resolve(bytes)));
	return promise;
}

/** Fills the buffer as far as the file reaches. */
async function readFrom(
	{ fd, size }: { fd: number; size: number },
	into: Uint8Array,
	position: number,
	signal: AbortSignal,
): Promise<number> {
	let filled = 0;
	while (filled < into.length) {
		const bytesRead = await inTime(readAt(fd, into.subarray(filled), position + filled), signal);
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
