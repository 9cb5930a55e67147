/** A question finds what was said about it, also in other words. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { MemoryStore } from "./store.ts";
import { newFact } from "./testing/sample.ts";
import { timeRange } from "./time-range.ts";

let home = "";
beforeEach(() => {
	home = mkdtempSync(join(tmpdir(), "tau-recall-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function texts(store: MemoryStore, query: string): string[] {
	return store.search(query).map(({ fact }) => fact.text);
}

test("identifiers are found by their words, and words by their identifiers", () => {
	using store = new MemoryStore(home);
	store.change({ label: "x" }, (draft) => {
		draft.add(newFact("parseHTTPHeader drops duplicates", { session: "a" }));
		draft.add(newFact("the rate limiter counts per tenant", { session: "b" }));
		draft.add(newFact("user_name is unique", { session: "c" }));
	});
	expect(texts(store, "how do we parse a header")[0]).toStartWith("parseHTTPHeader");
	expect(texts(store, "rateLimiter")[0]).toContain("rate limiter");
	expect(texts(store, "username")[0]).toStartWith("user_name");
});

test("other words for the same thing and what was said beside it are found", () => {
	using store = new MemoryStore(home);
	store.change({ label: "x" }, (draft) => {
		draft.add(newFact("Which database should the importer use?", { position: 0 }));
		draft.add(newFact("Postgres 16, because operations runs it.", { position: 1 }));
		draft.add(newFact("Unrelated talk about lunch.", { position: 7 }));
	});
	expect(texts(store, "importer db")).toContain("Postgres 16, because operations runs it.");
	expect(texts(store, "importer db")).not.toContain("Unrelated talk about lunch.");
});

test("a question in other words of the same field is answered", () => {
	using store = new MemoryStore(home);
	store.change({ label: "x" }, (draft) => {
		draft.add(newFact("The parcel goes out with the courier on Tuesdays.", { session: "a" }));
		draft.add(newFact("Logs rotate every night.", { session: "b" }));
	});
	expect(texts(store, "who does our shipments")).toEqual([
		"The parcel goes out with the courier on Tuesdays.",
	]);
});

test("a time in the question prefers what was said then", () => {
	using store = new MemoryStore(home);
	store.change({ label: "x" }, (draft) => {
		draft.add(newFact("the deadline is the tenth", { session: "a", said: Date.parse("2026-03-05") }));
		draft.add(newFact("the deadline is the twentieth", { session: "b", said: Date.parse("2026-05-05") }));
	});
	const found = store.search("which deadline was set in march", { now: Date.parse("2026-11-16") });
	expect(found[0]?.fact.text).toContain("tenth");
	expect(timeRange("3 weeks ago", Date.parse("2026-11-16"))).toBeDefined();
	expect(timeRange("what about tests", Date.parse("2026-11-16"))).toBeUndefined();
});

test.each(['"', "'; DROP TABLE facts; --", "NEAR(a b)", "* OR", "a:b", "💥".repeat(5000), "", "the of and"])(
	"any text is a valid question: %#",
	(query) => {
		using store = new MemoryStore(home);
		store.change({ label: "x" }, (draft) => void draft.add(newFact("a fact about tables")));
		expect(store.search(query).length).toBeLessThanOrEqual(1);
		expect(store.facts()).toHaveLength(1);
	},
);

test("what was said a few turns after a match is found", () => {
	using store = new MemoryStore(home);
	const turns = [
		"Let us talk about onboarding.",
		"There is a page for it.",
		"Good, it is short.",
		"Put Tom down as the person to ask.",
		"Done, and the tests pass.",
	];
	store.change({ label: "x" }, (draft) => {
		for (const [position, text] of turns.entries()) draft.add(newFact(text, { session: "a", position }));
		draft.add(newFact("Lunch was late.", { session: "b", position: 0 }));
	});
	const found = texts(store, "who helps with onboarding");
	expect(found).toContain("Put Tom down as the person to ask.");
	expect(found[0]).toBe("Let us talk about onboarding.");
	expect(found).not.toContain("Lunch was late.");
});

test("the conversation that has the other words of the question comes first", () => {
	using store = new MemoryStore(home);
	store.change({ label: "x" }, (draft) => {
		for (const [session, topic] of [
			["a", "ferry"],
			["b", "gym"],
			["c", "farm"],
		] as const) {
			draft.add(newFact(`This is about the ${topic}.`, { session, position: 0 }));
			draft.add(newFact("Backups go to the office.", { session, position: 30 }));
		}
	});
	const [, second] = store.search("where are the backups of the gym");
	expect(second?.fact).toMatchObject({ session: "b", position: 30 });
});
