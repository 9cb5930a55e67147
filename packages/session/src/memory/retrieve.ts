/** Finds the facts that belong to a prompt: FTS5 with weighted columns, other words for the same thing, and neighbors. */
import type { Database } from "bun:sqlite";

import { counts, type Fact } from "./fact.ts";
import { limits } from "./limits.ts";
import { conceptsOf, type Concept } from "./terms.ts";
import { timeRange } from "./time-range.ts";

export interface Match {
	fact: Fact;
	score: number;
	/** How many words of the query it has; none if it was found because it is beside a match. */
	words: number;
}

export interface RetrieveOptions {
	limit?: number;
	now?: number;
	/** Whether facts that no longer count are found, too. */
	all?: boolean;
}

/** Tuned on the corpus of `bench/recall`; each is how much another way of matching counts beside the word itself. */
const weights = {
	form: 0.8,
	synonym: 0.35,
	/** Words with the same beginning: `authenticate`, `authenticator`. */
	prefix: 0.3,
	/** The part of a match that the facts beside it get, by distance. */
	beside: [0.4, 0.15],
	/** An answer follows its question. */
	answer: 0.8,
	time: 1.6,
	speaker: 1.15,
} as const;

/** Text, subject, parts of identifiers. */
const columns = "1.0, 1.4, 0.9";

export function retrieve(db: Database, query: string, options: RetrieveOptions = {}): Match[] {
	const { limit = limits.matches, now = Date.now(), all = false } = options;
	const concepts = conceptsOf(query);
	const range = timeRange(query, now);
	const scores = new Map<number, Scored>();
	for (const concept of concepts) addConcept(db, concept, scores);
	if (scores.size === 0) return [];
	const best = [...scores].toSorted(([, a], [, b]) => b.score - a.score).slice(0, limits.candidates);
	const found = factsOf(
		db,
		best.map(([id]) => id),
	);
	const asksUser = /\b(?:did|have|do|was) i\b|\bi (?:say|said|told|asked|mention|want|prefer)/i.test(query);
	const adjust = (fact: Fact, score: number): number => {
		const inTime = range && fact.said >= range.from && fact.said < range.to ? weights.time : 1;
		return score * inTime * (asksUser && fact.who === "user" ? weights.speaker : 1);
	};
	const matches = new Map<number, Match>();
	for (const [id, { score, words }] of best) {
		const fact = found.get(id);
		if (fact) matches.set(id, { fact, score: adjust(fact, score), words });
	}
	spread(db, matches);
	return [...matches.values()]
		.filter(({ fact }) => all || counts(fact, now))
		.toSorted((a, b) => b.score - a.score || b.fact.said - a.fact.said)
		.slice(0, limit);
}

interface Scored {
	score: number;
	words: number;
}

/** A word counts once for a fact, in the form that fits best. */
function addConcept(db: Database, { word, forms, synonyms }: Concept, scores: Map<number, Scored>): void {
	const own = new Map<number, Scored>();
	const take = (expression: string, weight: number): void => {
		const words = weight >= weights.form ? 1 : 0;
		for (const { id, score } of postings(db, expression)) {
			const before = own.get(id);
			if (before) before.score = Math.max(before.score, score * weight);
			else own.set(id, { score: score * weight, words });
		}
	};
	take(quoted(word), 1);
	if (forms.length > 0) take(forms.map(quoted).join(" OR "), weights.form);
	if (synonyms.length > 0) take(synonyms.map(quoted).join(" OR "), weights.synonym);
	if (word.length >= 6) take(`${quoted(word.slice(0, Math.max(5, word.length - 3)))} *`, weights.prefix);
	for (const [id, { score, words }] of own) {
		const sum = scores.get(id);
		if (!sum) scores.set(id, { score, words });
		else {
			sum.score += score;
			sum.words += words;
		}
	}
}

function postings(db: Database, expression: string): { id: number; score: number }[] {
	return db
		.query<{ id: number; score: number }, [string, number]>(
			`SELECT rowid AS id, -bm25(found, ${columns}) AS score FROM found WHERE found MATCH ? ORDER BY rowid DESC LIMIT ?`,
		)
		.all(expression, limits.postings);
}

function quoted(word: string): string {
	return `"${word.replaceAll('"', '""')}"`;
}

/** What was said right before and after a match often has the answer, in other words. */
function spread(db: Database, matches: Map<number, Match>): void {
	const hits = [...matches.values()];
	const sources = hits.toSorted((a, b) => b.score - a.score).slice(0, limits.candidates / 4);
	const beside = db.query<Fact, [string, number, number]>(
		"SELECT * FROM facts WHERE session = ? AND position BETWEEN ? AND ?",
	);
	const gains = new Map<number, { fact: Fact; gain: number }>();
	for (const { fact, score } of sources) {
		if (fact.session === "") continue;
		const { position } = fact;
		for (const other of beside.all(fact.session, position - limits.neighbors, position + limits.neighbors)) {
			const step = other.position - position;
			if (step === 0) continue;
			const isAnswer = step === 1 && fact.text.trimEnd().endsWith("?");
			const share = isAnswer ? weights.answer : (weights.beside[Math.abs(step) - 1] ?? 0);
			const gain = score * share;
			if (gain > (gains.get(other.id)?.gain ?? 0)) gains.set(other.id, { fact: other, gain });
		}
	}
	for (const [id, { fact, gain }] of gains) {
		const match = matches.get(id);
		if (match) match.score += gain;
		else matches.set(id, { fact, score: gain, words: 0 });
	}
}

function factsOf(db: Database, ids: readonly number[]): Map<number, Fact> {
	const rows = db
		.query<Fact, [string]>("SELECT * FROM facts WHERE id IN (SELECT value FROM json_each(?))")
		.all(JSON.stringify(ids));
	return new Map(rows.map((fact) => [fact.id, fact]));
}
