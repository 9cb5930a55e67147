/** Changes by tools are in the journal of their session: once, with the call, and with their kind. */
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";

import { callTool, testToolEnv, type TestToolEnv } from "../../../../test/support/tool-env.ts";
import { bash } from "../bash/index.ts";
import { edit } from "../edit/tool.ts";
import { write } from "../write/tool.ts";
import { recordRead, snapshotsOf } from "./snapshots.ts";

const kinds = ({ journal, cwd }: TestToolEnv) =>
	journal.entries.map(({ kind, path, renamedFrom, toolCallId }) =>
		[kind, path, renamedFrom, toolCallId].map((value) => value?.replace(`${cwd}/`, "")),
	);

test("a file that is created, changed, moved and deleted", async () => {
	await using env = await testToolEnv({ env: { PATH: process.env.PATH, TAU_EDIT_VARIANT: "apply_patch" } });
	const patch = (...lines: string[]) =>
		callTool(edit.bind(env), { input: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n") });
	await callTool(write.bind(env), { path: "a", content: "one\n" });
	await patch("*** Update File: a", "@@", "-one", "+two");
	await patch("*** Update File: a", "*** Move to: b", "@@", "-two", "+three");
	await patch("*** Delete File: b");
	expect(kinds(env)).toEqual([
		["created", "a", undefined, "call-1"],
		["changed", "a", undefined, "call-1"],
		["renamed", "b", "a", "call-1"],
		["deleted", "b", undefined, "call-1"],
	]);
	const [made, changed, renamed, deleted] = env.journal.entries;
	expect([made?.before, changed?.before, renamed?.before, deleted?.before]).toEqual([
		undefined,
		made?.after,
		changed?.after,
		renamed?.after,
	]);
	expect([made?.after?.size, deleted?.after]).toEqual([4, undefined]);
});

test("rejected and empty changes are not recorded", async () => {
	await using env = await testToolEnv();
	writeFileSync(env.resolve("a"), "same\n");
	mkdirSync(env.resolve("d"));
	await callTool(write.bind(env), { path: "a", content: "same\n" });
	expect((await callTool(write.bind(env), { path: "d", content: "x" })).isError).toBe(true);
	const edits = [{ oldText: "gone", newText: "x" }];
	expect((await callTool(edit.bind(env), { path: "a", edits })).isError).toBe(true);
	expect(env.journal.entries).toEqual([]);
});

test("a file in an archive and a row of a database change the file that contains them", async () => {
	await using env = await testToolEnv();
	{
		using database = new Database(env.resolve("d.sqlite"), { create: true });
		database.run("CREATE TABLE t(id INTEGER PRIMARY KEY, word)");
	}
	await callTool(write.bind(env), { path: "a.zip:one.txt", content: "1" });
	await callTool(write.bind(env), { path: "a.zip:two.txt", content: "2" });
	await callTool(write.bind(env), { path: "d.sqlite:t", content: "{word: 'x'}" });
	expect(kinds(env)).toEqual([
		["created", "a.zip", undefined, "call-1"],
		["changed", "a.zip", undefined, "call-1"],
		["changed", "d.sqlite", undefined, "call-1"],
	]);
});

test("a command is recorded as one that may have changed anything", async () => {
	await using env = await testToolEnv();
	const events: unknown[] = [];
	using _ = env.journal.subscribe((event) => events.push(event));
	await callTool(bash.bind(env), { command: "echo x > a" });
	expect(events).toEqual([{ type: "unknown", toolCallId: "call-1" }]);
	expect(env.journal.entries).toEqual([]);
});

test("read states of a file are dropped when it is deleted, by any tool", async () => {
	await using env = await testToolEnv();
	writeFileSync(env.resolve("a"), "seen\n");
	await recordRead(env, env.resolve("a"), "seen\n");
	const before = await env.machine.files.readEntry("a", env.resolve("a"));
	if (!before.ok) throw new Error(before.reason);
	await env.machine.files.commit([{ before }], { signal: new AbortController().signal });
	expect(snapshotsOf(env).latest(before.target)).toBeUndefined();
});
