/** Finds how much of a block that was laid out at a new width is already in the history. */
import { engineLimits } from "../limits.ts";

/**
 * The first row of the new layout that is not wholly in the history. Only letters and digits are compared: borders and
 * indents depend on the width. If the text is not found, it is the first row, and the block appears twice.
 */
export function firstUncommitted(committed: readonly string[], rows: readonly string[]): number {
	const tail = lastLetters(committed);
	if (tail === "") return 0;
	const per = rows.map(letters);
	const end = nearestEnd(per.join(""), tail, letterCount(committed));
	if (end === undefined) return 0;
	let seen = 0;
	for (const [at, row] of per.entries()) {
		seen += row.length;
		if (seen >= end) return seen === end ? at + 1 : at;
	}
	return rows.length;
}

function letters(row: string): string {
	return Bun.stripANSI(row).replace(/[^\p{L}\p{N}]/gu, "");
}

function letterCount(rows: readonly string[]): number {
	return rows.reduce((sum, row) => sum + letters(row).length, 0);
}

function lastLetters(rows: readonly string[]): string {
	let tail = "";
	for (let at = rows.length - 1; at >= 0 && tail.length < engineLimits.rewrapChars; at--) {
		tail = letters(rows[at] ?? "") + tail;
	}
	return tail.slice(-engineLimits.rewrapChars);
}

/** The end of the occurrence nearest to the expected end; the earlier one of two. */
function nearestEnd(text: string, tail: string, expected: number): number | undefined {
	let best: number | undefined;
	for (let at = text.indexOf(tail); at >= 0; at = text.indexOf(tail, at + 1)) {
		const end = at + tail.length;
		if (best !== undefined && Math.abs(end - expected) >= Math.abs(best - expected)) break;
		best = end;
	}
	return best;
}
