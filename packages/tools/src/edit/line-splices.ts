/** Converts changes of whole lines to splices of a text that preserve whether its last line ends with a newline. */
import type { Splice } from "../files/line-ends.ts";
import type { LineText } from "../files/line-text.ts";

/** A splice replaces the lines from `start` to before `end`, counted from 0; an insertion replaces no lines. */
export interface LineChange {
	start: number;
	end: number;
	lines: readonly string[];
}

/** The changes are in order and do not overlap. */
export function lineSplices(text: LineText, changes: readonly LineChange[]): Splice[] {
	return merged(changes).map((change) => lineSplice(text, change));
}

/** Adjacent splices are merged into one change, so that a note about the end of the text appears once. */
function merged(changes: readonly LineChange[]): LineChange[] {
	const out: LineChange[] = [];
	for (const { start, end, lines } of changes) {
		const last = out.at(-1);
		if (last && last.end === start) {
			last.end = end;
			last.lines = [...last.lines, ...lines];
		} else out.push({ start, end, lines });
	}
	return out;
}

function lineSplice(text: LineText, { start, end, lines }: LineChange): Splice {
	const first = text.start(start + 1);
	const behind = text.start(end + 1);
	const closed = lines.map((line) => `${line}\n`).join("");
	if (end < text.count || text.count === 0 || text.hasFinalNewline) {
		return { start: first, end: behind, text: closed };
	}
	// The last line has no newline, and the new last line has none either.
	if (lines.length === 0) return { start: Math.max(0, first - 1), end: behind, text: "" };
	return { start: first, end: behind, text: (start === end ? "\n" : "") + closed.slice(0, -1) };
}
