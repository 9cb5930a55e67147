/** How much of a corpus of dialogues memory finds, beside a plain FTS5 query, and how long a prompt waits for it. */
import { Database } from "bun:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Memory, MemoryStore } from "@tau/session/memory";

import { median } from "../program.ts";
import { times, type Row } from "../report.ts";
import { corpusOf, recallAt, unseenCorpus, writtenCorpus, type Corpus } from "./corpus.ts";

const limit = 10;
const blank = { kind: "fact", subject: "", entry: "", quote: "", expires: null, replacedBy: null } as const;

export async function recall(): Promise<Row[]> {
	const large = corpusOf(380);
	return [
		found("hand-written dialogues", writtenCorpus(), 70),
		found(`${large.turns.length} turns`, large, 70),
		// 66 when they were written, before the ranking was changed; 70 before words of the same field counted. Most of what
		// is missing uses other words throughout.
		found("long dialogues that it was not tuned on", unseenCorpus(), 75),
		...waiting(large),
	];
}

/** Stems, an OR of the words without stop words, and nothing else: what `ANCHORS.md` measured first. */
export function plainSearch({ turns }: Corpus): (query: string) => number[] {
	const db = new Database(":memory:");
	db.run("CREATE VIRTUAL TABLE plain USING fts5 (text, tokenize = 'porter unicode61')");
	const put = db.query("INSERT INTO plain (rowid, text) VALUES (?, ?)");
	for (const [at, { text }] of turns.entries()) put.run(at + 1, text);
	const find = db.query<{ id: number }, [string, number]>(
		"SELECT rowid AS id FROM plain WHERE plain MATCH ? ORDER BY rank LIMIT ?",
	);
	const small = new Set(smallWords);
	return (query) => {
		const words = (query.toLowerCase().match(/[a-z0-9]+/g) ?? []).filter((word) => !small.has(word));
		const expression = words.map((word) => `"${word}"`).join(" OR ");
		return words.length === 0 ? [] : find.all(expression, limit).map(({ id }) => id);
	};
}

const smallWords =
	"a an and are at be did do does for how i in is it my of on the to was we what when where who why with".split(
		" ",
	);

/** Ids count from 1 in the order of the turns. */
export function fillStore(directory: string, { turns }: Corpus): MemoryStore {
	const store = new MemoryStore(directory);
	store.change({ label: "corpus" }, (draft) => {
		for (const turn of turns) draft.add({ ...blank, ...turn });
	});
	return store;
}

export function memorySearch(store: MemoryStore): (query: string) => number[] {
	return (query) => store.search(query, { limit, all: true }).map(({ fact }) => fact.id);
}

function found(name: string, corpus: Corpus, budget: number): Row {
	const directory = mkdtempSync(join(tmpdir(), "tau-recall-"));
	try {
		using store = fillStore(directory, corpus);
		const own = recallAt(limit, corpus, memorySearch(store));
		const plain = recallAt(limit, corpus, plainSearch(corpus));
		return {
			name: `evidence among the first ${limit}, ${name}, ${corpus.questions.length} questions`,
			value: own * 100,
			unit: "%",
			budget,
			atLeast: true,
			beside: times(own, plain, "a plain FTS5 query"),
		};
	} finally {
		rmSync(directory, { recursive: true, force: true });
	}
}

/** From the prompt to the digest, with the database opened for it, as in a session. */
function waiting(corpus: Corpus): Row[] {
	const home = mkdtempSync(join(tmpdir(), "tau-recall-"));
	try {
		const directories = {
			project: { root: home, directory: join(home, "project") },
			global: join(home, "global"),
		};
		fillStore(directories.project.directory, corpus)[Symbol.dispose]();
		fillStore(directories.global, { turns: corpus.turns.slice(0, 200), questions: [] })[Symbol.dispose]();
		const samples: number[] = [];
		let chars = 0;
		for (const { text } of corpus.questions.slice(0, 200)) {
			const started = performance.now();
			using memory = new Memory(directories);
			chars = Math.max(chars, memory.digest(text, 1_000).text.length);
			samples.push(performance.now() - started);
		}
		const name = `${corpus.turns.length + 200} notes`;
		return [
			{ name: `a prompt waits for its digest, ${name}`, value: median(samples), unit: "ms", budget: 5 },
			{ name: `the largest digest, ${name}`, value: Math.ceil(chars / 4), unit: "tokens", budget: 1_000 },
		];
	} finally {
		rmSync(home, { recursive: true, force: true });
	}
}
