/** Fuzzy matching of paths: the last name counts most, and only the best of many paths are kept. */
import { lastStretch, startsWord, stretchWorth } from "./alignment.ts";
import { comparable, readTerms, type Comparable } from "./terms.ts";

export interface FuzzyPath {
	path: string;
	/** Lower is better. */
	score: number;
}

/** In proportion to the worth of a letter in `alignment.ts`. */
const bonus = {
	/** All letters of a term are in the last name. */
	name: 24,
	/** A term is in the last name unchanged, ... */
	wholeTerm: 12,
	/** ... at the beginning of a word, ... */
	wholeTermAtWord: 12,
	/** ... or it is the last name, with or without its extension. */
	wholeName: 40,
} as const;
/** Of two equally good paths, the shorter one is better. */
const lengthPenalty = 0.02;

/**
 * Lower-casing takes longer than a search, so the result is kept for a list that is searched again, letter by letter.
 */
const lowered = new WeakMap<readonly string[], readonly string[]>();

/**
 * The best `limit` paths, best first; of equally good ones, the first. None for a query without letters. The list
 * must not change between two calls.
 */
export function fuzzyPaths(query: string, paths: readonly string[], limit: number): FuzzyPath[] {
	const terms = readTerms(query);
	const best: FuzzyPath[] = [];
	if (terms.length === 0 || limit <= 0) return best;
	const all = lowered.get(paths) ?? paths.map((path) => path.toLowerCase());
	lowered.set(paths, all);
	for (let index = 0; index < all.length; index++) {
		const lower = all[index] ?? "";
		if (!terms.every((term) => lastStretch(term, lower) >= 0)) continue;
		const path = paths[index] ?? "";
		const score = scorePath(terms, comparable(path, lower));
		if (best.length === limit && score >= (best.at(-1)?.score ?? 0)) continue;
		place(best, { path, score });
		if (best.length > limit) best.pop();
	}
	return best;
}

/** All terms are known to match. */
function scorePath(terms: readonly string[], { lower, text }: Comparable): number {
	// A slash at the end marks a directory; its name is before the slash.
	const nameStart = lower.lastIndexOf("/", lower.length - 2) + 1;
	let score = lower.length * lengthPenalty;
	for (const term of terms) {
		const start = lastStretch(term, lower);
		score -= stretchWorth(term, lower, text, start);
		if (start >= nameStart) score -= bonus.name + wholeBonus(term, lower, text, nameStart);
	}
	return score;
}

function wholeBonus(term: string, lower: string, text: string, nameStart: number): number {
	const at = lower.indexOf(term, nameStart);
	if (at < 0) return 0;
	const end = at + term.length;
	const isName = at === nameStart && (end === lower.length || lower.lastIndexOf(".") === end);
	const atWord = startsWord(text, at) ? bonus.wholeTermAtWord : 0;
	return bonus.wholeTerm + atWord + (isName ? bonus.wholeName : 0);
}

/** Inserts a path after the equally good ones. */
function place(best: FuzzyPath[], match: FuzzyPath): void {
	let low = 0;
	let high = best.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if ((best[middle]?.score ?? 0) <= match.score) low = middle + 1;
		else high = middle;
	}
	best.splice(low, 0, match);
}
