/** The conversation of a resumed session, read when it is needed. */
import { afterAll, expect, test } from "bun:test";
import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { SessionManager } from "../index.ts";

const home = mkdtempSync(join(tmpdir(), "tau-past-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

function written(name: string, prompts: number, change?: (log: SessionManager) => void): string {
	using log = SessionManager.create(home, join(home, name));
	for (let at = 0; at < prompts; at++)
		log.appendMessage({ role: "user", content: `prompt ${at}`, timestamp: at });
	change?.(log);
	return log.getSessionFile() ?? "";
}

const textsOf = (messages: Iterable<unknown>): unknown[] =>
	[...messages].map((message) => (message as { content?: unknown; summary?: unknown }).content);

test("all at once, in slices and from the end, it equals the context", async () => {
	using log = SessionManager.open(
		written("same", 300, (sessionManager) => {
			const [first] = sessionManager.getHeads();
			sessionManager.appendContextEdit(first?.id ?? "", null);
			sessionManager.appendMessage({ role: "user", content: "the last", timestamp: 1 });
		}),
	);
	const seen = log.buildSessionContext().messages;
	const past = log.pastMessages();
	expect(seen).toHaveLength(300);
	expect(past.all()).toEqual(seen);
	expect(await past.load(new AbortController().signal)).toEqual(seen);
	expect([...past.backwards()].toReversed()).toEqual(seen);
	expect(past.isEmpty).toBeFalse();
});

test("after a compaction, the summary comes first and the kept entries follow", async () => {
	using log = SessionManager.open(
		written("compacted", 10, (sessionManager) => {
			sessionManager.appendCompaction("what was said", sessionManager.getHeads().at(-2)?.id ?? "", 100);
			sessionManager.appendMessage({ role: "user", content: "and then", timestamp: 1 });
		}),
	);
	const past = log.pastMessages();
	const seen = log.buildSessionContext().messages;
	expect(past.isCompacted).toBeTrue();
	expect(textsOf(seen)).toEqual([undefined, "prompt 8", "prompt 9", "and then"]);
	expect(past.all()).toEqual(seen);
	expect([...past.backwards()].toReversed()).toEqual(seen);
});

test("messages whose line holds none of the texts are not parsed", () => {
	const file = written("marked", 20);
	// Its head is intact and its body is not: parsing it reports damage.
	const broken = { type: "message", id: "aaaaaaaa", parentId: null, timestamp: new Date(0).toISOString() };
	appendFileSync(
		file,
		`${JSON.stringify(broken).slice(0, -1)},"message":{"role":"user","content":"x\u0001"}}\n`,
	);
	using log = SessionManager.open(file);
	using marked = SessionManager.open(written("found", 20));
	expect(textsOf(marked.pastMessages().backwards(["prompt 1"]))).toEqual(
		[
			"prompt 19",
			"prompt 18",
			"prompt 17",
			"prompt 16",
			"prompt 15",
			"prompt 14",
			"prompt 13",
			"prompt 12",
		].concat(["prompt 11", "prompt 10", "prompt 1"]),
	);
	const problems: unknown[] = [];
	using _ = log.onProblem((problem) => problems.push(problem));
	expect([...log.pastMessages().backwards(["nowhere"])]).toEqual([]);
	expect(problems).toEqual([]);
});

test("a closed log returns nothing, and reports no damage", () => {
	const log = SessionManager.open(written("left", 3));
	const past = log.pastMessages();
	const problems: unknown[] = [];
	log.onProblem((problem) => problems.push(problem));
	log[Symbol.dispose]();
	expect(past.all()).toEqual([]);
	expect([...past.backwards()]).toEqual([]);
	expect(problems).toEqual([]);
});
