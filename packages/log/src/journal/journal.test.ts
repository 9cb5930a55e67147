/** Every change is recorded once, with the call that made it, and listeners are notified. */
import { expect, test } from "bun:test";

import type { CommittedChange } from "@tau/sys";

import { ChangeJournal, type JournalEvent } from "./journal.ts";

const changed = (path: string): CommittedChange => ({ path, kind: "changed" });

test("changes are stored in order, with their call and the log entry that they follow", () => {
	let leaf: string | null = null;
	const journal = new ChangeJournal({ leafId: () => leaf });
	journal.record([changed("/a")]);
	leaf = "entry-1";
	journal.record([changed("/b"), { path: "/c", kind: "renamed", renamedFrom: "/d" }], { toolCallId: "call" });
	expect(journal.entries).toEqual([
		{ path: "/a", kind: "changed", sequence: 1, timestamp: expect.any(Number) },
		{
			path: "/b",
			kind: "changed",
			sequence: 2,
			timestamp: expect.any(Number),
			toolCallId: "call",
			entryId: "entry-1",
		},
		expect.objectContaining({ path: "/c", kind: "renamed", renamedFrom: "/d", sequence: 3 }),
	]);
	expect(journal.madeBy("call").map(({ path }) => path)).toEqual(["/b", "/c"]);
});

test("the oldest changes are dropped, and the count continues", () => {
	const journal = new ChangeJournal({ capacity: 3 });
	for (let at = 0; at < 10; at++) journal.record([changed(`/${at}`)]);
	expect(journal.entries.map(({ path, sequence }) => [path, sequence])).toEqual([
		["/7", 8],
		["/8", 9],
		["/9", 10],
	]);
	expect(journal.total).toBe(10);
});

test("listeners get each record once, and one that fails does not keep it from the others", () => {
	const journal = new ChangeJournal();
	const events: JournalEvent[] = [];
	using _failing = journal.subscribe(() => {
		throw new Error("not my day");
	});
	const listener = journal.subscribe((event) => events.push(event));
	journal.onCommitted([changed("/a"), changed("/b")], { toolCallId: "call" });
	journal.onCommitted([], {});
	journal.onNoted({ toolCallId: "shell" });
	journal.onNoted({}, "/database");
	listener[Symbol.dispose]();
	journal.record([changed("/c")]);
	expect(
		events.map((event) => (event.type === "recorded" ? event.entries.map(({ path }) => path) : event)),
	).toEqual([["/a", "/b"], { type: "unknown", toolCallId: "shell" }, ["/database"]]);
	expect(journal.entries.map(({ path }) => path)).toEqual(["/a", "/b", "/database", "/c"]);
});

test("after its session ended nothing is recorded, and no listener is called", () => {
	const journal = new ChangeJournal();
	const events: JournalEvent[] = [];
	journal.subscribe((event) => events.push(event));
	journal[Symbol.dispose]();
	journal.record([changed("/a")]);
	journal.onNoted({});
	expect([journal.entries, events]).toEqual([[], []]);
});
