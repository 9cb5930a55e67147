/** What tools change is in the journal of their session: once, with the call, and as what it was. */
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";

import { callTool, testPlace, type TestPlace } from "../../../../test/support/place.ts";
import { bash } from "../bash/index.ts";
import { edit } from "../edit/tool.ts";
import { write } from "../write/tool.ts";
import { recordRead, snapshotsOf } from "./snapshots.ts";

const kinds = ({ journal, cwd }: TestPlace) =>
	journal.entries.map(({ kind, path, renamedFrom, toolCallId }) =>
		[kind, path, renamedFrom, toolCallId].map((value) => value?.replace(`${cwd}/`, "")),
	);

test("a file that is made, changed, moved and deleted", async () => {
	await using place = await testPlace({ env: { PATH: process.env.PATH, TAU_EDIT_VARIANT: "apply_patch" } });
	const patch = (...lines: string[]) =>
		callTool(edit.bind(place), { input: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n") });
	await callTool(write.bind(place), { path: "a", content: "one\n" });
	await patch("*** Update File: a", "@@", "-one", "+two");
	await patch("*** Update File: a", "*** Move to: b", "@@", "-two", "+three");
	await patch("*** Delete File: b");
	expect(kinds(place)).toEqual([
		["created", "a", undefined, "call-1"],
		["changed", "a", undefined, "call-1"],
		["renamed", "b", "a", "call-1"],
		["deleted", "b", undefined, "call-1"],
	]);
	const [made, changed, renamed, deleted] = place.journal.entries;
	expect([made?.before, changed?.before, renamed?.before, deleted?.before]).toEqual([
		undefined,
		made?.after,
		changed?.after,
		renamed?.after,
	]);
	expect([made?.after?.size, deleted?.after]).toEqual([4, undefined]);
});

test("what is refused, or is as it was, is not in it", async () => {
	await using place = await testPlace();
	writeFileSync(place.resolve("a"), "same\n");
	mkdirSync(place.resolve("d"));
	await callTool(write.bind(place), { path: "a", content: "same\n" });
	expect((await callTool(write.bind(place), { path: "d", content: "x" })).isError).toBe(true);
	const edits = [{ oldText: "gone", newText: "x" }];
	expect((await callTool(edit.bind(place), { path: "a", edits })).isError).toBe(true);
	expect(place.journal.entries).toEqual([]);
});

test("a file in an archive and a row of a database change the file that holds them", async () => {
	await using place = await testPlace();
	{
		using database = new Database(place.resolve("d.sqlite"), { create: true });
		database.run("CREATE TABLE t(id INTEGER PRIMARY KEY, word)");
	}
	await callTool(write.bind(place), { path: "a.zip:one.txt", content: "1" });
	await callTool(write.bind(place), { path: "a.zip:two.txt", content: "2" });
	await callTool(write.bind(place), { path: "d.sqlite:t", content: "{word: 'x'}" });
	expect(kinds(place)).toEqual([
		["created", "a.zip", undefined, "call-1"],
		["changed", "a.zip", undefined, "call-1"],
		["changed", "d.sqlite", undefined, "call-1"],
	]);
});

test("a command is told of as one that may have changed anything", async () => {
	await using place = await testPlace();
	const events: unknown[] = [];
	using _ = place.journal.subscribe((event) => events.push(event));
	await callTool(bash.bind(place), { command: "echo x > a" });
	expect(events).toEqual([{ type: "unknown", toolCallId: "call-1" }]);
	expect(place.journal.entries).toEqual([]);
});

test("what the model has seen of a file is forgotten when the file is gone, whoever deleted it", async () => {
	await using place = await testPlace();
	writeFileSync(place.resolve("a"), "seen\n");
	await recordRead(place, place.resolve("a"), "seen\n");
	const before = await place.machine.files.readEntry("a", place.resolve("a"));
	if (!before.ok) throw new Error(before.reason);
	await place.machine.files.commit([{ before }], { signal: new AbortController().signal });
	expect(snapshotsOf(place).latest(before.target)).toBeUndefined();
});
