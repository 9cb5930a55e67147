/** Suggests what a user may have meant by a word that is not on the list. */
import { nearestLimits } from "./limits.ts";

/** The best matches, best first; empty when nothing is close enough to be worth suggesting. */
export function nearest(word: string, candidates: Iterable<string>, max = 3): string[] {
	const typed = word.toLowerCase();
	if (typed === "" || typed.length > nearestLimits.wordLength) return [];
	// About one typing error in three letters: with more, the suggestions are noise.
	const allowed = Math.max(1, Math.ceil(typed.length / 3));
	const ranked: { candidate: string; score: number }[] = [];
	for (const candidate of candidates) {
		if (candidate.length > nearestLimits.wordLength) continue;
		const score = scoreOf(typed, candidate.toLowerCase(), allowed);
		if (score !== undefined) ranked.push({ candidate, score });
	}
	ranked.sort((a, b) => a.score - b.score || (a.candidate < b.candidate ? -1 : 1));
	return ranked.slice(0, max).map((entry) => entry.candidate);
}

function scoreOf(typed: string, candidate: string, allowed: number): number | undefined {
	if (typed.length >= nearestLimits.prefixLength && candidate.startsWith(typed)) {
		// An unfinished word counts as less than one error, the shorter the rest the better.
		return (candidate.length - typed.length) / nearestLimits.wordLength;
	}
	const slips = distance(typed, candidate, allowed);
	if (slips === undefined) return undefined;
	// Among equals: users seldom mistype the first letter, and swap letters more often than they add one.
	const other = typed[0] === candidate[0] ? 0 : 0.25;
	return slips + other + Math.abs(typed.length - candidate.length) / nearestLimits.wordLength;
}

/** Insertions, deletions, substitutions and swaps of neighbors; undefined if the distance exceeds `allowed`. */
function distance(a: string, b: string, allowed: number): number | undefined {
	if (Math.abs(a.length - b.length) > allowed) return undefined;
	let beforeLast: number[] = [];
	let last = Array.from({ length: b.length + 1 }, (_, index) => index);
	for (let i = 1; i <= a.length; i++) {
		const row = [i];
		for (let j = 1; j <= b.length; j++) {
			const same = a[i - 1] === b[j - 1];
			let cost = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + (same ? 0 : 1));
			if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
				cost = Math.min(cost, at(beforeLast, j - 2) + 1);
			}
			row.push(cost);
		}
		if (Math.min(...row) > allowed) return undefined;
		beforeLast = last;
		last = row;
	}
	const total = at(last, b.length);
	return total <= allowed ? total : undefined;
}

function at(row: readonly number[], index: number): number {
	return row[index] ?? Number.POSITIVE_INFINITY;
}
