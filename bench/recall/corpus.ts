/**
 * Dialogues with questions about them: ten that were written by hand, as many as wanted from a fixed generator, and
 * three long ones that were written, and measured once, before the ranking was changed. The ranking is tuned on the
 * others only.
 */
import handWritten from "./dialogues.json";
import unseen from "./unseen.json";

export interface Turn {
	session: string;
	position: number;
	who: "user" | "assistant";
	text: string;
	said: number;
}

export interface Question {
	text: string;
	/** Indices of the turns that answer it. */
	evidence: number[];
}

export interface Corpus {
	turns: Turn[];
	questions: Question[];
}

/** The hand-written dialogues alone. */
export function writtenCorpus(): Corpus {
	return corpusIn("written", handWritten);
}

/** The long dialogues that no change of the ranking may look at. */
export function unseenCorpus(): Corpus {
	return corpusIn("unseen", unseen);
}

function corpusIn(name: string, all: typeof handWritten): Corpus {
	const corpus: Corpus = { turns: [], questions: [] };
	for (const [at, { date, turns, questions }] of all.entries())
		addDialogue(corpus, `${name}-${at}`, date, turns, questions);
	return corpus;
}

/** With `dialogues` more around them, so that a question has thousands of turns to be confused by. */
export function corpusOf(dialogues: number): Corpus {
	const corpus = writtenCorpus();
	const pick = random(20_261_116);
	for (let at = 0; at < dialogues; at++) {
		const { turns, questions } = generated(pick, at);
		const day = new Date(Date.UTC(2025, 10, 1) + at * 36 * 60 * 60_000).toISOString().slice(0, 10);
		addDialogue(corpus, `generated-${at}`, day, turns, questions);
	}
	return corpus;
}

function addDialogue(
	{ turns: all, questions: asked }: Corpus,
	session: string,
	date: string,
	turns: readonly (readonly string[])[],
	questions: readonly (readonly (string | number[])[])[],
): void {
	const first = all.length;
	for (const [position, [who, text = ""]] of turns.entries())
		all.push({
			session,
			position,
			who: who === "user" ? "user" : "assistant",
			text,
			said: Date.parse(date) + position * 60_000,
		});
	for (const [text, evidence] of questions)
		if (typeof text === "string" && Array.isArray(evidence))
			asked.push({ text, evidence: evidence.map((at) => first + at) });
}

type Pick = <T>(from: readonly T[]) => T;

/** A linear congruential generator: the same corpus each time. */
function random(seed: number): Pick {
	let state = seed;
	return (from) => {
		state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
		// The index is below the length.
		return from[Math.floor((state / 2 ** 31) * from.length)] as (typeof from)[number];
	};
}

/** Parts of a project, as people call them. */
const parts = [
	"invoice renderer",
	"session store",
	"thumbnail service",
	"rate limiter",
	"spreadsheet importer",
	"notification hub",
	"search indexer",
	"tax calculator",
	"feature switch",
	"audit trail",
	"address lookup",
	"password reset",
	"order queue",
	"report builder",
	"image cropper",
	"webhook sender",
	"translation loader",
	"coupon engine",
	"stock counter",
	"chat widget",
] as const;

/** Each part exists in several places, so that a question is about one of many similar things. */
const cities = [
	"berlin",
	"denver",
	"osaka",
	"lagos",
	"lima",
	"oslo",
	"perth",
	"quito",
	"turin",
	"delhi",
	"cairo",
	"lyon",
	"porto",
	"seoul",
	"tunis",
	"vienna",
	"zurich",
	"bogota",
	"dakar",
	"hanoi",
	"kyiv",
	"malmo",
	"nairobi",
	"praha",
	"riga",
	"sofia",
	"tampa",
	"utrecht",
	"warsaw",
	"york",
] as const;

/** The name of a part in a conversation: in words half of the time, otherwise as code writes it. */
function nameIn(place: string, part: string, at: number): string {
	const words = `${place} ${part}`;
	if (at % 4 === 0) return words.replaceAll(/ (\w)/g, (_, letter: string) => letter.toUpperCase());
	return at % 4 === 1 ? words.replaceAll(" ", "_") : `the ${words}`;
}

const tools = [
	"Redis",
	"Kafka",
	"SQLite",
	"RabbitMQ",
	"Elasticsearch",
	"Memcached",
	"NATS",
	"DuckDB",
] as const;
const people = ["Maria", "Tom", "Aiko", "Jonas", "Priya", "Lena", "Omar", "Sven"] as const;
const reasons = [
	"it survives a restart",
	"the team runs it already",
	"it needs no license",
	"latency stayed under 4 ms",
	"the other one lost messages",
	"it is one file to back up",
] as const;
const numbers = ["15", "30", "48", "90", "120", "250", "600", "2000"] as const;
const small = [
	"ok",
	"thanks, next",
	"sounds good",
	"hm, and then?",
	"great, please go on",
	"let me think",
] as const;

interface Exchange {
	turns: [who: string, text: string][];
	questions: [text: string, evidence: number[]][];
}

/** Each asks for something in other words than it was said in. */
const exchanges: readonly ((pick: Pick, code: string, words: string) => Exchange)[] = [
	(pick, code, words) => {
		const [tool, reason] = [pick(tools), pick(reasons)];
		return {
			turns: [
				["user", `What should ${code} keep its data in?`],
				["assistant", `${tool}, because ${reason}.`],
			],
			questions: [
				[`where does ${words} store things`, [1]],
				[`reason for the storage of ${words}`, [1]],
			],
		};
	},
	(pick, code, words) => {
		const limit = pick(numbers);
		return {
			turns: [
				["user", `${code} must give up after ${limit} seconds, support gets calls otherwise.`],
				["assistant", `Done, and there is a test for it.`],
			],
			questions: [[`timeout of the ${words}`, [0]]],
		};
	},
	(pick, code, words) => {
		const owner = pick(people);
		return {
			turns: [
				["user", `Who decides about ${code} these days?`],
				["assistant", `${owner} took it over in the last reorganization.`],
			],
			questions: [[`who owns ${words}`, [1]]],
		};
	},
	(pick, code, words) => {
		const amount = pick(numbers);
		return {
			turns: [
				["assistant", `${code} crashed with a null account when the list had more than ${amount} rows.`],
				["user", "and what did you do about it?"],
				["assistant", "The loop skipped the last page; it reads until the cursor is empty now."],
			],
			questions: [
				[`why did ${words} fail`, [0, 2]],
				[`fix for the error in ${words}`, [2]],
			],
		};
	},
	(pick, code, words) => {
		const owner = pick(people);
		return {
			turns: [
				["user", `Never deploy ${code} on a Friday, ${owner} had to come in on a weekend once.`],
				["assistant", "Understood."],
			],
			questions: [[`when is releasing the ${words} forbidden`, [0]]],
		};
	},
	(pick, code, words) => {
		const count = pick(numbers);
		return {
			turns: [
				["user", `How big does a batch of ${code} get?`],
				["assistant", `At most ${count}; beyond that the provider answers 413.`],
			],
			questions: [[`maximum batch size for ${words}`, [1]]],
		};
	},
];

function generated(pick: Pick, at: number): Exchange {
	const dialogue: Exchange = { turns: [], questions: [] };
	// Different ones for as many dialogues as there are combinations.
	const part = parts[at % parts.length] ?? "";
	const place = cities[((at % parts.length) + Math.floor(at / parts.length)) % cities.length] ?? "";
	const start = pick([0, 1, 2]);
	for (const make of [exchanges[start], exchanges[start + 1], exchanges[start + 3]]) {
		if (!make) continue;
		const { turns, questions } = make(pick, nameIn(place, part, at), `${place} ${part}`);
		const first = dialogue.turns.length;
		const aside = `I also looked at ${nameIn(pick(cities), pick(parts), at)}; nothing to do.`;
		dialogue.turns.push(...turns, ["user", pick(small)], ["assistant", aside]);
		for (const [text, evidence] of questions)
			dialogue.questions.push([text, evidence.map((each) => first + each)]);
	}
	return dialogue;
}

/** The part of the evidence that a search finds among its first `count` results; ids count from 1 in the order of the turns. */
export function recallAt(count: number, { questions }: Corpus, search: (query: string) => number[]): number {
	const found = questions.map(({ text, evidence }) => {
		const results = new Set(search(text).slice(0, count));
		return evidence.filter((at) => results.has(at + 1)).length / evidence.length;
	});
	return found.reduce((sum, part) => sum + part, 0) / found.length;
}
