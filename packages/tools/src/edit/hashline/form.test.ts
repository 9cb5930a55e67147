/** Lines are edited by the numbers that were shown; a file that has changed since is never edited at the wrong line. */
import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";

import type { AgentToolResult } from "@tau/agent";

import { callTool, testToolEnv, textOf, type TestToolEnv } from "../../../../../test/support/tool-env.ts";
import { fileTag } from "../../files/hashline.ts";
import { recordRead } from "../../files/snapshots.ts";
import { five, lastLineEdits, lineEdits } from "../../../../../test/support/edit-calls.ts";
import { edit } from "../tool.ts";

async function opened(text = five): Promise<{ env: TestToolEnv; tag: string } & AsyncDisposable> {
	const env = await testToolEnv();
	await env.settings.set("edit.mode", "hashline", "session");
	writeFileSync(env.resolve("f"), text);
	const tag = await recordRead(env, env.resolve("f"), text);
	return { env, tag, [Symbol.asyncDispose]: () => env[Symbol.asyncDispose]() };
}

function call(env: TestToolEnv, tag: string, ...edits: Record<string, unknown>[]): Promise<AgentToolResult> {
	return callTool(edit.bind(env), { path: "f", tag, edits });
}

const now = (env: TestToolEnv) => readFileSync(env.resolve("f"), "utf8");

describe("lines", () => {
	test.each(lineEdits)("%s", async (_, edits, after) => {
		await using file = await opened();
		const result = await call(file.env, file.tag, ...edits);
		expect(result.isError ? textOf(result) : now(file.env)).toBe(after);
	});

	test("the result has the new tag and numbers, so the next edit needs no read", async () => {
		await using file = await opened();
		const first = await call(file.env, file.tag, { after: 1, text: "1.5" });
		const tag = fileTag(now(file.env));
		expect(textOf(first)).toBe(`Edited f: line 2 (+1 -0).\n[f#${tag}]\n1:one\n2:1.5\n3:two\n4:three`);
		const second = await call(file.env, tag, { from: 3, text: "2" });
		expect(second.isError).toBeUndefined();
		expect(now(file.env)).toBe("one\n1.5\n2\nthree\nfour\nfive\n");
	});

	test("an open last line stays open, and lines can be added to an empty file", async () => {
		for (const [before, change, after] of lastLineEdits) {
			await using file = await opened(before);
			const result = await call(file.env, file.tag, change);
			expect(result.isError ? textOf(result) : now(file.env)).toBe(after);
		}
	});

	test("the header of a read may be copied completely", async () => {
		await using file = await opened();
		const { env, tag } = file;
		const args = { path: `[f#${tag}]`, tag: `#${tag.toLowerCase()}`, edits: [{ from: 1, text: "1" }] };
		expect((await callTool(edit.bind(env), args)).isError).toBeUndefined();
		expect(now(env)).toStartWith("1\ntwo");
	});
});

describe("a file that changed after it was read", () => {
	test("is edited at the current position of the lines", async () => {
		await using file = await opened();
		writeFileSync(file.env.resolve("f"), `zero\n${five.replace("two", "2")}six\n`);
		const result = await call(file.env, file.tag, { from: 4, text: "FOUR" }, { after: 5, text: "5.5" });
		expect(textOf(result)).toContain("lines were located again");
		expect(now(file.env)).toBe("zero\none\n2\nthree\nFOUR\nfive\n5.5\nsix\n");
	});

	test("is left unchanged if the lines themselves changed, and shown in its current state", async () => {
		await using file = await opened();
		const changed = five.replace("three", "3");
		writeFileSync(file.env.resolve("f"), changed);
		const result = await call(file.env, file.tag, { from: 3, text: "x" });
		expect(result.isError).toBe(true);
		expect(textOf(result)).toContain(`[f#${fileTag(changed)}]\n1:one\n2:two\n3:3\n4:four\n5:five`);
		expect(now(file.env)).toBe(changed);
		// The shown lines may be used at once.
		expect((await call(file.env, fileTag(changed), { from: 3, text: "x" })).isError).toBeUndefined();
	});

	test("is left unchanged if the lines match at two positions", async () => {
		await using file = await opened("a\n}\nb\n}\nc\n");
		writeFileSync(file.env.resolve("f"), "new\n}\nchanged\n}\nend\n");
		expect((await call(file.env, file.tag, { from: 2, text: "x" })).isError).toBe(true);
		expect(now(file.env)).toBe("new\n}\nchanged\n}\nend\n");
	});

	test("is left unchanged if the read state is unknown", async () => {
		await using file = await opened();
		const result = await call(file.env, "ZZZZ", { from: 1, text: "x" });
		expect(result.isError).toBe(true);
		expect(textOf(result)).toStartWith("f is no longer at version #ZZZZ");
	});

	test("the tag alone is enough in a resumed session", async () => {
		await using env = await testToolEnv();
		writeFileSync(env.resolve("f"), five);
		const args = { path: "f", tag: fileTag(five), edits: [{ from: 1, text: "1" }] };
		expect((await callTool(edit.bind(env), args)).isError).toBeUndefined();
	});
});

describe("an invalid edit is rejected", () => {
	const replaced = { from: 1, to: 3, text: "x" };
	const bad: [what: string, edits: Record<string, unknown>[], message: string][] = [
		["lines past the end", [{ from: 4, to: 9, text: "x" }], "f has 5 lines; line 9 is past its end."],
		["an insertion past the end", [{ after: 6, text: "x" }], "f has 5 lines; line 6 is past its end."],
		["edits that overlap", [replaced, { from: 3, text: "y" }], "Two edits touch line 3"],
		["an insertion into replaced lines", [replaced, { after: 2, text: "y" }], "Two edits touch line 3"],
		["lines backwards", [{ from: 3, to: 2, text: "x" }], "edits[0]: `to` (2) is before `from` (3)."],
		["both kinds at once", [{ from: 3, after: 2, text: "x" }], "edits[0]: give either `after` or `from`"],
		["no place", [{ text: "x" }], "edits[0]: `from` (to replace) or `after` (to insert) is missing."],
		["an insertion of nothing", [{ after: 1, text: "" }], "edits[0]: an insertion needs `text`."],
	];
	test.each(bad)("%s", async (_, edits, message) => {
		await using file = await opened();
		const result = await call(file.env, file.tag, ...edits);
		expect(result.isError).toBe(true);
		expect(textOf(result)).toStartWith(message);
		expect(now(file.env)).toBe(five);
	});

	test("the same lines again are reported as no change", async () => {
		await using file = await opened();
		expect(textOf(await call(file.env, file.tag, { from: 1, text: "one" }))).toStartWith("Nothing changed");
	});
});
