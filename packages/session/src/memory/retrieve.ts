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

/** Tuned on the first dialogues of `bench/recall`; each is how much another way of matching counts beside the word itself. */
const weights = {
	form: 0.75,
	synonym: 0.45,
	/** Words of the same field: `price`, `fee`, `tariff`. */
	related: 0.45,
	/** Words with the same beginning: `authenticate`, `authenticator`. */
	prefix: 0.4,
	/** The part of a match that the facts after and before it get, by distance: a topic stays for a few turns. */
	after: [0.7, 0.4, 0.2, 0.1, 0.05],
	before: [0.35, 0.18, 0.09, 0.05, 0],
	/** An answer follows its question. */
	answer: 0.9,
	/** How much more a fact counts in the conversation that has the most words of the query. */
	session: 1.8,
	time: 1.6,
	speaker: 1.15,
	/** A fact that has the kind of thing that is asked for; the second for one that is only beside a match. */
	kind: 1.05,
	kindBeside: 1.5,
} as const;

/** Text, subject, parts of identifiers. */
const columns = "1.0, 1.4, 0.9";

export function retrieve(db: Database, query: string, options: RetrieveOptions = {}): Match[] {
	const { limit = limits.matches, now = Date.now(), all = false } = options;
	const concepts = conceptsOf(query);
	const range = timeRange(query, now);
	const scores = new Map<number, Scored>();
	for (const [index, concept] of concepts.entries()) addConcept(db, concept, index, scores);
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
	const answers = answerPattern(query);
	const matches = new Map<number, Match>();
	const coherence = coherenceOf(best, found);
	for (const [id, { score, words }] of best) {
		const fact = found.get(id);
		if (fact) matches.set(id, { fact, score: adjust(fact, score) * coherence(fact), words });
	}
	spread(db, matches);
	if (answers)
		for (const match of matches.values())
			if (answers.test(match.fact.text)) match.score *= match.words > 0 ? weights.kind : weights.kindBeside;
	return [...matches.values()]
		.filter(({ fact }) => all || counts(fact, now))
		.toSorted((a, b) => b.score - a.score || b.fact.said - a.fact.said)
		.slice(0, limit);
}

interface Scored {
	score: number;
	words: number;
	/** By the index of the concept. */
	parts: Map<number, number>;
}

/** A conversation that has more of the words is more likely the one that is meant. */
function coherenceOf(
	best: readonly (readonly [number, Scored])[],
	found: ReadonlyMap<number, Fact>,
): (fact: Fact) => number {
	const sessions = new Map<string, Map<number, number>>();
	for (const [id, { parts }] of best) {
		const session = found.get(id)?.session ?? "";
		if (session === "") continue;
		const words = sessions.get(session) ?? new Map<number, number>();
		for (const [index, score] of parts) words.set(index, Math.max(words.get(index) ?? 0, score));
		sessions.set(session, words);
	}
	const sums = new Map(
		[...sessions].map(([session, words]) => [session, words.values().reduce((a, b) => a + b, 0)]),
	);
	const most = Math.max(...sums.values());
	return ({ session }) => 1 + (weights.session * (sums.get(session) ?? 0)) / most;
}

/** A word counts once for a fact, in the form that fits best. */
function addConcept(
	db: Database,
	{ word, forms, synonyms, related }: Concept,
	index: number,
	scores: Map<number, Scored>,
): void {
	const own = new Map<number, Omit<Scored, "parts">>();
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
	if (related.length > 0) take(related.map(quoted).join(" OR "), weights.related);
	if (word.length >= 6) take(`${quoted(word.slice(0, Math.max(5, word.length - 3)))} *`, weights.prefix);
	for (const [id, { score, words }] of own) {
		const sum = scores.get(id);
		if (!sum) scores.set(id, { score, words, parts: new Map([[index, score]]) });
		else {
			sum.score += score;
			sum.words += words;
			sum.parts.set(index, score);
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
	const sources = hits.toSorted((a, b) => b.score - a.score).slice(0, limits.spreading);
	const beside = db.query<Fact, [string, number, number]>(
		"SELECT * FROM facts WHERE session = ? AND position BETWEEN ? AND ?",
	);
	const gains = new Map<number, { fact: Fact; gain: number }>();
	for (const { fact, score } of sources) {
		if (fact.session === "") continue;
		const { position } = fact;
		const around = beside.all(fact.session, position - limits.neighbors, position + limits.neighbors);
		const asked = new Set(
			around.filter(({ text }) => text.trimEnd().endsWith("?")).map((each) => each.position),
		);
		for (const other of around) {
			const step = other.position - position;
			if (step === 0) continue;
			const distance = Math.abs(step) - 1;
			const share = (step > 0 ? weights.after : weights.before)[distance] ?? 0;
			// The answer of a question that belongs to the match belongs to it as well.
			const isAnswer = step > 0 && asked.has(other.position - 1);
			const asking = step === 1 ? 1 : (weights.after[distance - 1] ?? 0);
			const gain = score * (isAnswer ? Math.max(share, asking * weights.answer) : share);
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

/** What a fact that answers the question looks like; undefined if that says nothing. */
function answerPattern(query: string): RegExp | undefined {
	return kinds.find(([asks]) => asks.test(query))?.[1];
}

const kinds: readonly [asks: RegExp, has: RegExp][] = [
	[
		/\bhow (?:many|much|big|large|small|long|often|far|fast|old)\b|\b(?:size|duration|number|amount|limit|maximum|minimum|price|cost|timeout|percentage)\b/i,
		/\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|hundred|half|twice)\b/i,
	],
	[
		/\bwhen\b|\b(?:date|deadline)\b/i,
		/\d|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:january|february|march|april|june|july|august|september|october|november|december)\b|\b(?:night|morning|evening|weekend|week|month|year|spring|summer|autumn|winter|daily|nightly|weekly|monthly|never|until|before|after)\b/i,
	],
	[
		/\bwhom?\b|\bwhose\b/i,
		/(?<!^|[.!?:]\s|["'(])\b\p{Lu}\p{Ll}+|^(?!(?:There|It|This|That|What|Here|He|She) )\p{Lu}\p{Ll}+ (?:is|was|has|took|wants|does|from|in)\b/u,
	],
	[
		/\bwhy\b|\b(?:reason|cause)\b/i,
		/\b(?:because|since|so that|otherwise|due to|therefore|wants?|needs?|says?|cannot|can't|never|would)\b|[:;]/i,
	],
	[
		/\bwhere\b/i,
		/[\w.]\/[\w.]|\b\w+\.(?:ts|js|py|go|rs|md|json|ya?ml|toml|sh|sql|dart)\b|\b(?:in|at|on|from|to|through) (?:the |a )?[\p{Lu}\p{Ll}]/u,
	],
];
