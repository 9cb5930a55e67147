/** Reads many adjacent lines with one system call. */
import { limits } from "../limits.ts";

export type ReadSpan = (offset: number, length: number) => Buffer;

/** One call for each line would take ten times as long. `backwards` is for readers that start at the end. */
export function inLargeParts(read: ReadSpan, direction: "forwards" | "backwards" = "forwards"): ReadSpan {
	let from = 0;
	let part: Buffer = Buffer.alloc(0);
	return (offset, length) => {
		if (offset < from || offset + length > from + part.length) {
			const whole = Math.max(length, limits.scanChunkBytes);
			from = direction === "forwards" ? offset : Math.max(0, offset + length - whole);
			part = read(from, whole);
		}
		return part.subarray(offset - from, offset - from + length);
	};
}
