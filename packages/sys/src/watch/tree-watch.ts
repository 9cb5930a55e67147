/**
 * Watches directories with inotify. Unlike `fs.watch` it leaves directories out, reports an overflow and names that are
 * no text, and knows of everything that happened before it is asked: the kernel queues an event with the change itself.
 */
import { close, closeSync, readSync } from "node:fs";

import { errorCode } from "@tau/utils";

import { findOwn } from "../shell/find-shell.ts";

const flags = { nonBlocking: 0o4000, closeOnExec: 0o2000000 } as const;
const events = {
	modify: 0x2,
	attributes: 0x4,
	/** The only event of a file that was changed through a mapping of its memory. */
	closedAfterWrite: 0x8,
	movedFrom: 0x40,
	movedTo: 0x80,
	create: 0x100,
	delete: 0x200,
	overflow: 0x4000,
	ignored: 0x8000,
	isDirectory: 0x40000000,
} as const;
const wanted =
	events.modify |
	events.attributes |
	events.closedAfterWrite |
	events.movedFrom |
	events.movedTo |
	events.create |
	events.delete;
/** Only directories, no links, and no events of files that were deleted while they are open. */
const mask = wanted | 0x01000000 | 0x02000000 | 0x04000000;

/** Something can be read. */
const pollIn = 1;

/** One read; 16,384 queued events, the kernel's default, take about ten. */
const bufferBytes = 256 * 1024;

export interface TreeEvent {
	/** The directory as it was given to `add`. */
	directory: string;
	/** The name in it, as a string of bytes (latin1). */
	name: string;
	isDirectory: boolean;
	kind: "appeared" | "gone" | "changed";
}

interface Inotify {
	init(flags: number): number;
	add(handle: number, path: Buffer, mask: number): number;
	remove(handle: number, watch: number): number;
	/** Whether there are events. Reading when there are none is an error, which takes longer to make than all the rest. */
	hasEvents(handle: number): boolean;
}

export class TreeWatch implements Disposable {
	readonly #inotify: Inotify;
	readonly #handle: number;
	readonly #directories = new Map<number, string>();
	readonly #watches = new Map<string, number>();
	readonly #buffer = Buffer.alloc(bufferBytes);
	#isDisposed = false;

	private constructor(inotify: Inotify, handle: number) {
		this.#inotify = inotify;
		this.#handle = handle;
	}

	/** Undefined where the system has no inotify, or no more instances for this user. */
	static async open(): Promise<TreeWatch | undefined> {
		if (process.platform !== "linux") return undefined;
		const inotify = await load();
		const handle = inotify?.init(flags.nonBlocking | flags.closeOnExec) ?? -1;
		return inotify && handle >= 0 ? new TreeWatch(inotify, handle) : undefined;
	}

	get size(): number {
		return this.#watches.size;
	}

	/** `absolute` is where `directory` is now. False if the system refuses: it is gone, or there are too many watches. */
	add(directory: string, absolute: Buffer): boolean {
		if (this.#isDisposed) return false;
		const watch = this.#inotify.add(this.#handle, Buffer.concat([absolute, Buffer.alloc(1)]), mask);
		if (watch < 0) return false;
		// The same directory under another name: it was moved.
		const before = this.#directories.get(watch);
		if (before !== undefined && before !== directory) this.#watches.delete(before);
		this.#directories.set(watch, directory);
		this.#watches.set(directory, watch);
		return true;
	}

	has(directory: string): boolean {
		return this.#watches.has(directory);
	}

	/** Stops watching a directory and everything below it; all of them for an empty path. */
	forget(directory: string): void {
		const below = directory === "" ? "" : `${directory}/`;
		for (const [path, watch] of this.#watches) {
			if (path !== directory && !path.startsWith(below)) continue;
			this.#inotify.remove(this.#handle, watch);
			this.#watches.delete(path);
			this.#directories.delete(watch);
		}
	}

	/** Calls `visit` with all that happened, in order. False if events were lost, or a directory is no longer watched. */
	drain(visit: (event: TreeEvent) => void): boolean {
		let isComplete = true;
		while (!this.#isDisposed) {
			const length = this.#read();
			if (length <= 0) return isComplete && length === 0;
			for (let at = 0; at + 16 <= length;) {
				const watch = this.#buffer.readInt32LE(at);
				const what = this.#buffer.readUInt32LE(at + 4);
				const bytes = this.#buffer.readUInt32LE(at + 12);
				if (what & events.overflow) isComplete = false;
				else this.#dispatch(watch, what, at + 16, bytes, visit);
				at += 16 + bytes;
			}
		}
		return false;
	}

	[Symbol.dispose](): void {
		if (this.#isDisposed) return;
		this.#isDisposed = true;
		const holder = startHolder(this.#handle);
		if (!holder) return close(this.#handle, () => {});
		closeSync(this.#handle);
		void holder.stdin.end();
	}

	/** 0 if there are no events; -1 if they cannot be read. */
	#read(): number {
		if (!this.#inotify.hasEvents(this.#handle)) return 0;
		try {
			return readSync(this.#handle, this.#buffer);
		} catch (error) {
			return errorCode(error) === "EAGAIN" ? 0 : -1;
		}
	}

	#dispatch(watch: number, what: number, at: number, bytes: number, visit: (event: TreeEvent) => void): void {
		const directory = this.#directories.get(watch);
		if (directory === undefined) return;
		if (what & events.ignored) {
			this.#directories.delete(watch);
			if (this.#watches.get(directory) === watch) this.#watches.delete(directory);
			return;
		}
		if (bytes === 0) return;
		const end = this.#buffer.indexOf(0, at);
		const name = this.#buffer.toString("latin1", at, Math.min(end < 0 ? at + bytes : end, at + bytes));
		const kind =
			what & (events.create | events.movedTo)
				? "appeared"
				: what & (events.delete | events.movedFrom)
					? "gone"
					: "changed";
		visit({ directory, name, isDirectory: (what & events.isDirectory) !== 0, kind });
	}
}

/**
 * A program that closes the handle last, when its input ends. The kernel makes whoever does that wait until nobody reads
 * the watches: 8 to 20 ms, even if they were removed before, and also a program that exits.
 */
function startHolder(handle: number): Bun.Subprocess<"pipe"> | undefined {
	const cat = findOwn("cat");
	if (cat === undefined) return undefined;
	try {
		const holder = Bun.spawn([cat], { cwd: "/", env: {}, stdio: ["pipe", "ignore", "ignore", handle] });
		holder.unref();
		return holder;
	} catch {
		// No more processes: then another thread waits, and the exit of this program with it.
		return undefined;
	}
}

let loaded: Inotify | undefined;

async function load(): Promise<Inotify | undefined> {
	if (loaded) return loaded;
	const { dlopen, FFIType, ptr } = await import("bun:ffi");
	const { i32, u32, u64 } = FFIType;
	for (const name of ["libc.so.6", "libc.so"]) {
		try {
			const { symbols } = dlopen(name, {
				inotify_init1: { args: [i32], returns: i32 },
				inotify_add_watch: { args: [i32, FFIType.ptr, u32], returns: i32 },
				inotify_rm_watch: { args: [i32, i32], returns: i32 },
				poll: { args: [FFIType.ptr, u64, i32], returns: i32 },
			});
			// One `struct pollfd`: the descriptor, the events that are asked for, those that are there.
			const entry = Buffer.alloc(8);
			loaded = {
				init: (bits) => symbols.inotify_init1(bits),
				add: (handle, path, bits) => symbols.inotify_add_watch(handle, ptr(path), bits),
				remove: (handle, watch) => symbols.inotify_rm_watch(handle, watch),
				hasEvents(handle) {
					entry.writeInt32LE(handle, 0);
					entry.writeInt16LE(pollIn, 4);
					// A failure is one of reading as well, which reports it.
					return symbols.poll(ptr(entry), 1, 0) !== 0;
				},
			};
			return loaded;
		} catch {
			// Another C library has another name.
		}
	}
	return undefined;
}
