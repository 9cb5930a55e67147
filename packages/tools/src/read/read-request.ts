/** What one call asks for, behind the path: handed from the tool to whoever reads that kind of thing. */
import { parseRange, type Range } from "./range.ts";

export interface ReadRequest {
	offset?: number | undefined;
	limit?: number | undefined;
	/** What stands behind the colon of the path. */
	selector?: string | undefined;
	/** What stands behind `?q=`. */
	query?: string | undefined;
}

/** The selector as a range, where only a range makes sense; `what` says of what. */
export function rangeOf(
	shown: string,
	{ selector, query }: ReadRequest,
	what: string,
): { ok: true; range?: Range } | { ok: false; reason: string } {
	if (query !== undefined)
		return { ok: false, reason: `${shown} is not a SQLite database, so ?q= does not apply.` };
	if (selector === undefined) return { ok: true };
	const range = parseRange(selector);
	if (range) return { ok: true, range };
	return {
		ok: false,
		reason: `${shown} has nothing called ${selector}. After the colon, give ${what}, such as ${shown}:5-10.`,
	};
}
