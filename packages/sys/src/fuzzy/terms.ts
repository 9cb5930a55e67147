/** Makes queries and texts comparable: words that all have to match, and letters without case. */
import { limits } from "./limits.ts";

export function readTerms(query: string): string[] {
	return query
		.slice(0, limits.queryChars)
		.toLowerCase()
		.split(/\s+/)
		.filter((term) => term !== "");
}

export interface Comparable {
	/** The text in lower case, in which letters are searched. */
	lower: string;
	/** As long as `lower`; shows where words begin. */
	text: string;
}

export function comparable(text: string, lowered: string): Comparable {
	// A few letters are longer in lower case; then words begin only after separators.
	return { lower: lowered, text: lowered.length === text.length ? text : lowered };
}
