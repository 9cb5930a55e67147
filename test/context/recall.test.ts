/** Memory finds clearly more of what was said than a plain full-text query, on a corpus of dialogues. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { corpusOf, recallAt, writtenCorpus } from "../../bench/recall/corpus.ts";
import { fillStore, memorySearch, plainSearch } from "../../bench/recall/recall.ts";

let home = "";
beforeEach(() => {
	home = mkdtempSync(join(tmpdir(), "tau-recall-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

test.each([
	["written by hand", writtenCorpus()],
	["with 150 generated dialogues around it", corpusOf(150)],
])(
	"of the corpus %s it finds at least 70%, and 1.4 times as much",
	(_, corpus) => {
		using store = fillStore(home, corpus);
		const own = recallAt(10, corpus, memorySearch(store));
		expect(own).toBeGreaterThan(0.7);
		expect(own / recallAt(10, corpus, plainSearch(corpus))).toBeGreaterThan(1.4);
	},
	180_000,
);
