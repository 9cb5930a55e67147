/** Finds the letters of a query in a text, in order, and scores their positions. */

/** The worth of one matching letter, and what changes it. Only the proportions matter. */
const worth = {
	letter: 16,
	/** At the beginning of a word: after a separator, a capital after a small letter, a digit after a letter. */
	wordStart: 8,
	/** Directly after the previous match: as much as the letter that began the run, at least this. */
	consecutive: 4,
	/** The first letter of a query is the most significant. */
	firstLetter: 2,
	gapStart: -3,
	gap: -1,
} as const;

const slash = 0x2f;

/**
 * The start of the shortest stretch at the end of `lower` that contains the letters of `query` in order, or -1. The
 * search starts at the end, because the last part of a path is the most significant. Searching letter by letter would
 * take three times as long.
 */
export function lastStretch(query: string, lower: string): number {
	let at = lower.length;
	for (let letter = query.length - 1; letter >= 0; letter--) {
		if (at <= letter) return -1;
		at = lower.lastIndexOf(query.charAt(letter), at - 1);
	}
	return at;
}

/** The worth of the letters of `query` in the stretch that begins at `start`; `text` shows where words begin. */
export function stretchWorth(query: string, lower: string, text: string, start: number): number {
	let total = 0;
	let letter = 0;
	let rowBonus = 0;
	let isRow = false;
	let inGap = false;
	for (let at = start; letter < query.length; at++) {
		if (lower.charCodeAt(at) !== query.charCodeAt(letter)) {
			total += inGap ? worth.gap : worth.gapStart;
			inGap = true;
			isRow = false;
			continue;
		}
		const place = startsWord(text, at) ? worth.wordStart : 0;
		// A run that reaches the beginning of a word continues as if it had begun there.
		rowBonus = isRow ? Math.max(rowBonus, place, worth.consecutive) : place;
		total += worth.letter + rowBonus * (letter === 0 ? worth.firstLetter : 1);
		isRow = true;
		inGap = false;
		letter++;
	}
	return total;
}

export function startsWord(text: string, at: number): boolean {
	if (at === 0) return true;
	const before = text.charCodeAt(at - 1);
	const code = text.charCodeAt(at);
	if (!isWordCode(before)) return isWordCode(code) || before === slash;
	return (isUpper(code) && !isUpper(before)) || (isDigit(code) && !isDigit(before));
}

function isUpper(code: number): boolean {
	return code >= 0x41 && code <= 0x5a;
}

function isDigit(code: number): boolean {
	return code >= 0x30 && code <= 0x39;
}

function isWordCode(code: number): boolean {
	return (code >= 0x61 && code <= 0x7a) || isUpper(code) || isDigit(code) || code > 0x7f;
}
