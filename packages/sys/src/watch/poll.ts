/** Asks the kernel about a descriptor, without waiting. */
import { once } from "@tau/utils";

/** `urgent`: a list of mounts has changed since the last question. */
export const pollEvents = { readable: 0x1, urgent: 0x2, writable: 0x4 } as const;

/** Which of these events a descriptor has now; all that were asked for if the system does not say. */
export type Poll = (handle: number, events: number) => number;

/** Undefined where the C library has another name. */
export const loadPoll = once(async (): Promise<Poll | undefined> => {
	const { dlopen, FFIType, ptr } = await import("bun:ffi");
	for (const name of ["libc.so.6", "libc.so"]) {
		try {
			const { symbols } = dlopen(name, {
				poll: { args: [FFIType.ptr, FFIType.u64, FFIType.i32], returns: FFIType.i32 },
			});
			// One `struct pollfd`: the descriptor, the events that are asked for, those that are there.
			const entry = Buffer.alloc(8);
			return (handle, events) => {
				entry.writeInt32LE(handle, 0);
				entry.writeInt16LE(events, 4);
				return symbols.poll(ptr(entry), 1, 0) < 0 ? events : entry.readInt16LE(6);
			};
		} catch {
			// Another C library has another name.
		}
	}
	return undefined;
});
