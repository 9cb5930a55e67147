/** Makes queries and texts comparable: words that all have to be found, and letters without their case. */
import { limits } from "./limits.ts";

export function readTerms(query: string): string[] {
	return query
		.slice(0, limits.queryChars)
		.toLowerCase()
		.split(/\s+/)
		.filter((term) => term !== "");
}

export interface Comparable {
	/** What letters are looked for in. */
	lower: string;
	/** As long as `lower`, to see where words begin. */
	text: string;
}

export function comparable(text: string, lowered: string): Comparable {
	// A few letters are longer in lower case; then words begin only behind separators.
	return { lower: lowered, text: lowered.length === text.length ? text : lowered };
}
