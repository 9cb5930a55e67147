/** A rewrite is previewed before it is applied, and applied to all files or none. */
import { describe, expect, test } from "bun:test";
import { chmodSync, statSync } from "node:fs";
import { join } from "node:path";

import { callTool, testToolEnv, textOf, type TestToolEnv } from "../../../../test/support/tool-env.ts";
import { resolve } from "../resolve/tool.ts";
import { astEdit } from "./tool.ts";

async function project(files: Record<string, string>): Promise<TestToolEnv> {
	const env = await testToolEnv();
	for (const [path, text] of Object.entries(files)) await Bun.write(join(env.cwd, path), text);
	return env;
}

const swap = { pattern: "old($A, $B)", rewrite: "fresh($B, $A)" };

test("the change is previewed, and nothing is written before it is resolved", async () => {
	await using env = await project({ "a.ts": "old(1, 2);\nkeep();\n", "b.ts": "old(x, y);" });
	const shown = await callTool(astEdit.bind(env), swap);
	expect(textOf(shown)).toStartWith("2 matches in 2 files: old($A, $B) → fresh($B, $A)\n\na.ts\n");
	expect(textOf(shown)).toContain("-old(1, 2);\n+fresh(2, 1);");
	expect(await Bun.file(join(env.cwd, "a.ts")).text()).toBe("old(1, 2);\nkeep();\n");
	const made = await callTool(resolve.bind(env), { action: "apply", reason: "as asked" });
	expect(textOf(made)).toBe("Changed 2 matches in a.ts, b.ts.");
	expect(await Bun.file(join(env.cwd, "a.ts")).text()).toBe("fresh(2, 1);\nkeep();\n");
	expect(await Bun.file(join(env.cwd, "b.ts")).text()).toBe("fresh(y, x);");
});

test("discarding changes nothing", async () => {
	await using env = await project({ "a.ts": "old(1, 2)" });
	await callTool(astEdit.bind(env), swap);
	expect(textOf(await callTool(resolve.bind(env), { action: "discard" }))).toStartWith(
		"Discarded: 1 match in 1 file",
	);
	expect(await Bun.file(join(env.cwd, "a.ts")).text()).toBe("old(1, 2)");
});

test("a file that has changed since prevents all changes", async () => {
	await using env = await project({ "a.ts": "old(1, 2)", "b.ts": "old(3, 4)" });
	await callTool(astEdit.bind(env), swap);
	await Bun.write(join(env.cwd, "b.ts"), "old(5, 6)");
	const result = await callTool(resolve.bind(env), { action: "apply" });
	expect(result.isError).toBe(true);
	expect(textOf(result)).toContain("b.ts has changed since the preview");
	expect(await Bun.file(join(env.cwd, "a.ts")).text()).toBe("old(1, 2)");
});

test("line endings, the byte order mark and the mode stay", async () => {
	await using env = await project({ "a.ts": "\ufeffold(1, 2);\r\nkeep();\r\n" });
	chmodSync(join(env.cwd, "a.ts"), 0o750);
	await callTool(astEdit.bind(env), swap);
	await callTool(resolve.bind(env), { action: "apply" });
	// `text()` would remove the mark.
	const bytes = Buffer.from(await Bun.file(join(env.cwd, "a.ts")).bytes());
	expect(bytes.toString()).toBe("\ufefffresh(2, 1);\r\nkeep();\r\n");
	expect(statSync(join(env.cwd, "a.ts")).mode & 0o777).toBe(0o750);
});

describe("nothing to do is reported", () => {
	test.each([
		[{ pattern: "none()", rewrite: "x" }, "No matches in 1 files."],
		[{ pattern: "old($A)", rewrite: "old($A)" }, "Every match already reads like the rewrite in 1 files."],
	])("%j", async (args, text) => {
		await using env = await project({ "a.ts": "old(1)" });
		const result = await callTool(astEdit.bind(env), args);
		expect(textOf(result)).toBe(text);
		expect(result.useless).toBe(true);
		expect((await callTool(resolve.bind(env), { action: "apply" })).isError).toBe(true);
	});
});
