/** Fuzzy matching of any text: names of commands, models, sessions. Lower scores are better. */
import { lastStretch, stretchWorth } from "./alignment.ts";
import { limits } from "./limits.ts";
import { comparable, readTerms } from "./terms.ts";

export interface FuzzyMatch {
	matches: boolean;
	score: number;
}

/** Of two texts that match equally well, the shorter one is better; length never outweighs a position. */
const lengthPenalty = 0.01;

/** All letters of the query occur in the text in this order; several words may occur anywhere. */
export function fuzzyMatch(query: string, text: string): FuzzyMatch {
	const score = scoreText(readTerms(query), text);
	return score === undefined ? { matches: false, score: 0 } : { matches: true, score };
}

/** The matching items, best first; equally good ones, and all items for an empty query, keep their order. */
export function fuzzyFilter<T>(items: readonly T[], query: string, getText: (item: T) => string): T[] {
	const terms = readTerms(query);
	if (terms.length === 0) return [...items];
	const scored: { item: T; score: number }[] = [];
	for (const item of items) {
		const score = scoreText(terms, getText(item));
		if (score !== undefined) scored.push({ item, score });
	}
	return scored.toSorted((a, b) => a.score - b.score).map(({ item }) => item);
}

function scoreText(terms: readonly string[], whole: string): number | undefined {
	const part = whole.slice(0, limits.textChars);
	const { lower, text } = comparable(part, part.toLowerCase());
	let score = terms.length === 0 ? 0 : lower.length * lengthPenalty;
	for (const term of terms) {
		const start = lastStretch(term, lower);
		if (start < 0) return undefined;
		const last = stretchWorth(term, lower, text, start);
		// The word itself may come earlier than some letters of it.
		const word = lower.indexOf(term);
		score -= word < 0 || word === start ? last : Math.max(last, stretchWorth(term, lower, text, word));
	}
	return score;
}
