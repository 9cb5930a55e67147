/** A model finds code by its structure, across a project, and learns what was not searched. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";

import { callTool, testToolEnv, textOf, type TestToolEnv } from "../../../../test/support/tool-env.ts";
import { astGrep } from "./tool.ts";

async function project(files: Record<string, string>): Promise<TestToolEnv> {
	const env = await testToolEnv();
	for (const [path, text] of Object.entries(files)) await Bun.write(join(env.cwd, path), text);
	return env;
}

test("matches are grouped by file, with lines and captured variables", async () => {
	await using env = await project({
		"src/a.ts": "let x = 1;\nlog(x, 2);\n",
		"src/b.py": "log(1, 2)\n",
		"README.md": "log(1, 2)",
	});
	const result = await callTool(astGrep.bind(env), { pattern: "log($A, $B)" });
	expect(textOf(result)).toBe("src/a.ts\n2: log(x, 2)  ($A=x, $B=2)\n\nsrc/b.py\n1: log(1, 2)  ($A=1, $B=2)");
	expect(result.details).toMatchObject({ matches: 2, files: 2, searched: 2 });
});

test("a language, a directory and a glob narrow it", async () => {
	await using env = await project({
		"a.ts": "f(1)",
		"sub/b.ts": "f(2)",
		"sub/c.js": "f(3)",
		"sub/d.py": "f(4)",
	});
	const tool = astGrep.bind(env);
	const found = async (args: object): Promise<string> =>
		textOf(await callTool(tool, { pattern: "f($A)", ...args }));
	expect(await found({ lang: "py" })).toStartWith("sub/d.py");
	expect(await found({ path: "a.ts" })).toStartWith("a.ts");
	expect(await found({ path: "sub", glob: "*.js" })).toStartWith("sub/c.js");
});

test("files that git ignores are not searched", async () => {
	await using env = await project({
		".gitignore": "out/\n",
		".git/HEAD": "",
		"out/a.ts": "f(1)",
		"b.ts": "f(2)",
	});
	const text = textOf(await callTool(astGrep.bind(env), { pattern: "f($A)" }));
	expect(text).toStartWith("b.ts");
	expect(text).not.toContain("out/");
});

test("a long match and many matches are cut, with a note", async () => {
	const long = `function f() {\n${"\tx();\n".repeat(50)}}`;
	await using env = await project({ "a.ts": long });
	const tool = astGrep.bind(env);
	expect(textOf(await callTool(tool, { pattern: "function f() { $$$B }" }))).toContain("… 46 more lines");
	const few = await callTool(tool, { pattern: "x()", limit: 3 });
	expect(textOf(few)).toContain("[3 shown; narrow by");
	expect(few.details).toMatchObject({ truncated: true, shown: 3 });
});

describe("without matches, the reason is given", () => {
	test("a result without matches is marked useless", async () => {
		await using env = await project({ "a.ts": "f(1)" });
		const result = await callTool(astGrep.bind(env), { pattern: "g($A)" });
		expect(textOf(result)).toBe("No matches in 1 files.");
		expect(result.useless).toBe(true);
	});

	test.each([
		[{ pattern: "foo(; bar", path: "a.ts" }, "foo(; bar"],
		[{ pattern: "f()", path: "missing" }, "There is no file or directory missing."],
		[{ pattern: "f()", lang: "cobol" }, 'Unknown language "cobol".'],
		[{ pattern: "f()", path: "notes.txt" }, "Set lang"],
	])("%j", async (args, reason) => {
		await using env = await project({ "a.ts": "f(1)", "notes.txt": "f()" });
		const result = await callTool(astGrep.bind(env), args);
		expect(result.isError).toBe(true);
		expect(textOf(result)).toContain(reason);
	});

	test("a file that is too large is counted", async () => {
		await using env = await project({ "a.ts": "f(1)", "big.ts": "f(1);\n".repeat(500_000) });
		const result = await callTool(astGrep.bind(env), { pattern: "g()" });
		expect(textOf(result)).toBe("No matches in 1 files. 1 were too large or unreadable.");
	});
});
