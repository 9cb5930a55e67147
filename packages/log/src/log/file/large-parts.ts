/** Reads many adjacent lines with one system call. */
import { limits } from "../limits.ts";

/** Reads into `space` where there is room for it. */
export type ReadSpan = (offset: number, length: number, space?: Buffer) => Buffer;

/**
 * One call for each line would take ten times as long. `backwards` is for readers that start at the end. What is returned
 * holds until the next call: all parts are read into the same space, since that of a 46 MB session was 90 MB otherwise.
 */
export function inLargeParts(read: ReadSpan, direction: "forwards" | "backwards" = "forwards"): ReadSpan {
	let from = 0;
	let part: Buffer = Buffer.alloc(0);
	let space: Buffer | undefined;
	return (offset, length) => {
		if (offset < from || offset + length > from + part.length) {
			const whole = Math.max(length, limits.scanChunkBytes);
			from = direction === "forwards" ? offset : Math.max(0, offset + length - whole);
			space ??= Buffer.allocUnsafe(limits.scanChunkBytes);
			part = read(from, whole, space);
		}
		return part.subarray(offset - from, offset - from + length);
	};
}
