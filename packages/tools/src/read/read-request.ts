/** The request of one call beside the path: the tool passes it to the reader of that kind of content. */
import { parseRange, type Range } from "./range.ts";

export interface ReadRequest {
	offset?: number | undefined;
	limit?: number | undefined;
	/** The part of the path after the colon. */
	selector?: string | undefined;
	/** The part after `?q=`. */
	query?: string | undefined;
}

/** Parses the selector as a range, where only a range makes sense; `what` names the subject in the error. */
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
