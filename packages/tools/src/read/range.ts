/** The range that may follow a path after a colon: `50`, `50-`, `50-100`, `50+20`. */

/** Lines, pages or cells; without a last one it goes to the end. */
export interface Range {
	first: number;
	last?: number;
}

/** `50:12`, as compilers print a position, starts at line 50 too. */
export function parseRange(text: string): Range | undefined {
	const match = /^L?(\d{1,15})(?:-(?:L?(\d{1,15}))?|\+(\d{1,15})|:\d+)?$/i.exec(text);
	if (!match) return undefined;
	const first = Number(match[1]);
	const { 2: last, 3: count } = match;
	if (last === undefined && count === undefined) return { first };
	const end = last === undefined ? first + Number(count) - 1 : Number(last);
	return end < first ? undefined : { first, last: end };
}
