/** Finds exact occurrences of a text. */
import type { Splice } from "../../files/line-ends.ts";

/** Returns the offsets at which `part` occurs in `text`; overlapping occurrences count once. */
export function exactOffsets(text: string, part: string): number[] {
	const starts: number[] = [];
	for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) starts.push(at);
	return starts;
}

/** The first splice, in order, that overlaps the one before it. */
export function overlapping(splices: readonly Splice[]): Splice | undefined {
	return splices.find((splice, index) => splice.start < (splices[index - 1]?.end ?? 0));
}
