/** Finds the changes inside a line. */
import { editScript } from "@tau/utils/edit-script";

import { diffLimits } from "./limits.ts";

/** Start and end, in characters. */
export type Mark = readonly [from: number, to: number];

export interface Marks {
	before: readonly Mark[];
	after: readonly Mark[];
}

const word = /[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu;

/** Undefined if the lines have little in common: marks everywhere mean nothing. */
export function marksBetween(before: string, after: string): Marks | undefined {
	if (before.length + after.length > 2 * diffLimits.markedChars) return undefined;
	const [old, now] = [before.match(word) ?? [], after.match(word) ?? []];
	const parts = editScript(old, now, diffLimits.wordEdits);
	const [oldEnds, nowEnds] = [starts(old), starts(now)];
	let same = 0;
	const marks: { before: Mark[]; after: Mark[] } = { before: [], after: [] };
	for (const part of parts) {
		const left: Mark = [oldEnds[part.before[0]] ?? 0, oldEnds[part.before[1]] ?? 0];
		const right: Mark = [nowEnds[part.after[0]] ?? 0, nowEnds[part.after[1]] ?? 0];
		if (part.isSame) same += before.slice(...left).trim().length;
		else {
			if (left[1] > left[0]) marks.before.push(left);
			if (right[1] > right[0]) marks.after.push(right);
		}
	}
	const longest = Math.max(before.trim().length, after.trim().length);
	return same < longest * diffLimits.sameShare ? undefined : marks;
}

/** The start of each word, and the end of the last one. */
function starts(words: readonly string[]): number[] {
	const offsets = [0];
	for (const text of words) offsets.push((offsets.at(-1) ?? 0) + text.length);
	return offsets;
}
