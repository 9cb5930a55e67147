/** Finds lines of an older version of a file in its new version, where the match is unambiguous. */
import type { LineText } from "../../files/line-text.ts";
import { limits } from "../limits.ts";

/** Lines from `start` to before `end`, from 0. */
interface Anchor {
	start: number;
	end: number;
}

/** Returns undefined if the lines no longer exist, or match at more than one position. */
export function reanchor(before: LineText, now: LineText, anchor: Anchor): Anchor | undefined {
	const isInsertion = anchor.start === anchor.end;
	// An insertion follows a line, which has to be found; at the top of the file it precedes one.
	const start = isInsertion ? Math.max(0, anchor.start - 1) : anchor.start;
	const block = { start, end: isInsertion ? start + 1 : anchor.end };
	if (before.count === 0 && isInsertion) return now.count === 0 ? anchor : undefined;
	if (block.end > before.count) return undefined;
	const shift = shiftOf(before, now, block);
	// The line was at the top and no longer is: which of the two positions is meant is unknown.
	if (shift === undefined || (anchor.end === 0 && shift !== 0)) return undefined;
	return { start: anchor.start + shift, end: anchor.end + shift };
}

/** Returns the number of lines by which the block has moved. */
function shiftOf(before: LineText, now: LineText, block: Anchor): number | undefined {
	const behind = now.count - before.count;
	const isAbove = isSameUpTo(before, now, block.end);
	const isBelow = isSameFrom(before, now, block.start, behind);
	if (isAbove && isBelow) return behind === 0 ? 0 : undefined;
	if (isAbove) return 0;
	if (isBelow) return behind;
	return uniqueShift(before, now, block);
}

/** True when nothing has changed from the first line to the block. */
function isSameUpTo(before: LineText, now: LineText, end: number): boolean {
	const length = before.start(end + 1);
	return end <= now.count && before.text.slice(0, length) === now.text.slice(0, length);
}

/** True when nothing has changed from the block to the last line. */
function isSameFrom(before: LineText, now: LineText, start: number, behind: number): boolean {
	if (start + behind < 0) return false;
	const rest = before.text.slice(before.start(start + 1));
	return now.text.slice(now.start(start + behind + 1)) === rest;
}

/** Changes above and below: the block with as few lines around it as make it the only one, then and now. */
function uniqueShift(before: LineText, now: LineText, block: Anchor): number | undefined {
	for (let context = 0; context <= limits.anchorContext; context++) {
		for (const [above, below] of windows(context)) {
			const window = { start: block.start - above, end: block.end + below };
			if (window.start < 0 || window.end > before.count) continue;
			const text = before.text.slice(before.start(window.start + 1), before.start(window.end + 1));
			const then = offsetsOf(before, text);
			const starts = offsetsOf(now, text);
			if (starts.length === 1 && then.length === 1) return (starts[0] ?? 0) - window.start;
		}
	}
	return undefined;
}

/** Around, above alone, below alone: one of the neighbors may be what has changed. */
function windows(context: number): [above: number, below: number][] {
	if (context === 0) return [[0, 0]];
	return [
		[context, context],
		[context, 0],
		[0, context],
	];
}

/** Returns the first two positions, from line 0, where whole lines match. */
function offsetsOf(lines: LineText, text: string): number[] {
	const starts: number[] = [];
	for (let at = lines.text.indexOf(text); at >= 0; at = lines.text.indexOf(text, at + 1)) {
		const startsLine = at === 0 || lines.text.charCodeAt(at - 1) === 10;
		const endsLine = text.endsWith("\n") || at + text.length === lines.text.length;
		if (!startsLine || !endsLine) continue;
		starts.push(lines.lineAt(at) - 1);
		if (starts.length === 2) break;
	}
	return starts;
}
