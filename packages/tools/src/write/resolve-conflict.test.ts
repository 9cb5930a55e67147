/** Merge conflicts that were read are resolved by number, one by one or all at once, and nothing else in the file changes. */
import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";

import { needs } from "../../../../test/support/needs.ts";
import { callTool, testToolEnv, textOf, type TestToolEnv } from "../../../../test/support/tool-env.ts";
import { conflictsOf, findConflicts } from "../files/conflicts.ts";
import { fileTag } from "../files/hashline.ts";
import { unify } from "../files/line-ends.ts";
import { write } from "./tool.ts";

const block = (ours: string, theirs: string, base?: string) =>
	`<<<<<<< HEAD\n${ours}\n${base === undefined ? "" : `||||||| base\n${base}\n`}=======\n${theirs}\n>>>>>>> topic\n`;
const two = `top\n${block("a1", "a2", "a0")}middle\n${block("b1", "b2")}end\n`;

/** As `read` does when it shows a file. */
function seen(env: TestToolEnv, path: string, text: string): number[] {
	writeFileSync(env.resolve(path), text);
	return conflictsOf(env)
		.record(path, env.resolve(path), unify(text).text)
		.map(({ id }) => id);
}

const runWrite = async (env: TestToolEnv, path: string, content: string) => {
	const result = await callTool(write.bind(env), { path, content });
	return `${result.isError ? "error: " : ""}${textOf(result)}`;
};
const now = (env: TestToolEnv, path: string) => readFileSync(env.resolve(path), "utf8");

describe("a conflict", () => {
	test("is replaced by the written text, and the others keep their numbers", async () => {
		await using env = await testToolEnv();
		expect(seen(env, "f", two)).toEqual([1, 2]);
		// What an approval judges is the file behind the address.
		expect(write.touches({ path: "conflict://1" }, env)).toEqual([{ kind: "write", path: env.resolve("f") }]);
		expect(write.touches({ path: "conflict://9" }, env)).toEqual([]);
		expect(await runWrite(env, "conflict://1", "both\nof them")).toBe("Resolved 1 conflict in f; 1 left.");
		expect(now(env, "f")).toBe(`top\nboth\nof them\nmiddle\n${block("b1", "b2")}end\n`);
		expect(conflictsOf(env).all()).toMatchObject([{ id: 2, line: 5 }]);
		expect(await runWrite(env, "conflict://2", "")).toBe("Resolved 1 conflict in f; 0 left.");
		expect(now(env, "f")).toBe("top\nboth\nof them\nmiddle\nend\n");
	});

	const sides: [side: string, after: string][] = [
		["@ours", "top\na1\nmiddle\nb1\nend\n"],
		["@theirs", "top\na2\nmiddle\nb2\nend\n"],
		["@both", "top\na1\na2\nmiddle\nb1\nb2\nend\n"],
	];
	test.each(sides)("%s for all of them", async (side, after) => {
		await using env = await testToolEnv();
		seen(env, "f", two);
		expect(await runWrite(env, "conflict://*", side)).toBe("Resolved 2 conflicts in f; 0 left.");
		expect(now(env, "f")).toBe(after);
	});

	test("is resolved by @base only if git recorded it; otherwise the file does not change", async () => {
		await using env = await testToolEnv();
		seen(env, "f", two);
		expect(await runWrite(env, "conflict://*", "@base")).toBe(
			"error: Conflict 2: git did not record the common base.",
		);
		expect(now(env, "f")).toBe(two);
		await runWrite(env, "conflict://1", "@base");
		expect(now(env, "f")).toStartWith("top\na0\nmiddle\n");
	});

	test("in several files at once: failures are reported, and the others are resolved", async () => {
		await using env = await testToolEnv();
		seen(env, "f", two);
		seen(env, "g", two);
		writeFileSync(env.resolve("f"), "somebody resolved it\n");
		expect(await runWrite(env, "conflict://*", "@ours")).toBe(
			"Resolved 2 conflicts in g; 0 left.\nConflict 1 is no longer in f. Read it again.",
		);
		expect(now(env, "f")).toBe("somebody resolved it\n");
	});

	test("keeps Windows line endings", async () => {
		await using env = await testToolEnv();
		seen(env, "f", two.replaceAll("\n", "\r\n"));
		await runWrite(env, "conflict://1", "x\ny\n");
		expect(now(env, "f")).toStartWith("top\r\nx\r\ny\r\nmiddle\r\n<<<<<<< HEAD\r\n");
	});

	test("that occurs twice in a file: the nearest to its read position is used", async () => {
		await using env = await testToolEnv();
		seen(env, "f", `${block("a", "b")}x\n${block("a", "b")}`);
		await runWrite(env, "conflict://2", "@theirs");
		expect(now(env, "f")).toBe(`${block("a", "b")}x\nb\n`);
	});

	test("in hashline mode comes with the tag of the file", async () => {
		await using env = await testToolEnv();
		await env.settings.set("edit.mode", "hashline", "session");
		seen(env, "f", two);
		const text = await runWrite(env, "conflict://1", "x");
		expect(text).toBe(`Resolved 1 conflict in f; 1 left.\n[f#${fileTag(now(env, "f"))}]`);
	});

	const refused: [path: string, content: string, message: string][] = [
		["conflict://7", "x", "There is no conflict 7. Known: 1 (f:2), 2 (f:10)."],
		["conflict://1/ours", "x", "conflict://1/ours is read-only. Write to conflict://ID."],
		["conflict://abc", "x", "There is no conflict abc. Known: 1 (f:2), 2 (f:10)."],
		["conflict://1", block("x", "y"), "Conflict 1: the content still has conflict markers."],
	];
	test.each(refused)("%s is rejected", async (path, content, message) => {
		await using env = await testToolEnv();
		seen(env, "f", two);
		expect(await runWrite(env, path, content)).toBe(`error: ${message}`);
		expect(now(env, "f")).toBe(two);
	});

	test("that is resolved already is not asked for again", async () => {
		await using env = await testToolEnv();
		seen(env, "f", two);
		await runWrite(env, "conflict://*", "x");
		const done = "All conflicts that you read are resolved.";
		expect(await runWrite(env, "conflict://1", "x")).toBe(`error: There is no conflict 1. ${done}`);
		expect(await runWrite(env, "conflict://*", "x")).toBe(`error: No conflicts are known. ${done}`);
	});

	test("that was not read is unknown", async () => {
		await using env = await testToolEnv();
		const none = "error: No conflicts are known. Read a file with conflict markers first.";
		expect(await runWrite(env, "conflict://*", "x")).toBe(none);
		expect(await runWrite(env, "conflict://1", "x")).toBe(
			"error: There is no conflict 1. Read a file with conflict markers first.",
		);
	});
});

test("text that only looks like a conflict is not one", () => {
	const texts = [
		"<<<<<<< HEAD\nno end\n",
		"=======\n>>>>>>> x\n",
		"Heading\n=======\n",
		"<<<<<<< a\n>>>>>>> b\n",
	];
	expect(texts.map((text) => findConflicts(text).length)).toEqual([0, 0, 0, 0]);
});

needs("git")("the conflicts of a real merge are found, with their common base", async () => {
	await using env = await testToolEnv();
	const who = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "merge.conflictStyle=diff3"];
	const git = (...args: string[]) => Bun.spawnSync(["git", ...who, ...args], { cwd: env.cwd });
	const commit = (text: string) => {
		writeFileSync(env.resolve("f"), text);
		git("add", "f");
		git("commit", "-q", "-m", "x");
	};
	git("init", "-q", "-b", "main");
	commit("one\nbase\nthree\n");
	git("checkout", "-q", "-b", "topic");
	commit("one\ntheirs\nthree\n");
	git("checkout", "-q", "main");
	commit("one\nours\nthree\n");
	git("merge", "topic");
	const [conflictBlock] = findConflicts(now(env, "f"));
	expect(conflictBlock).toMatchObject({ line: 2, ours: ["ours"], base: ["base"], theirs: ["theirs"] });
});
