/** Text in files is found, shown by file within limits, and an invalid call is explained. */
import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import type { AgentToolResult } from "@tau/agent";

import { callTool, testToolEnv, textOf } from "../../../../test/support/tool-env.ts";
import { limits } from "./limits.ts";
import { grep } from "./tool.ts";

const base = mkdtempSync(join(tmpdir(), "tau-grep-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));
let made = 0;

function plant(files: Record<string, string | Uint8Array>): string {
	const root = join(base, String(made++));
	mkdirSync(root);
	for (const [path, text] of Object.entries(files)) {
		mkdirSync(dirname(join(root, path)), { recursive: true });
		writeFileSync(join(root, path), text);
	}
	return root;
}

async function run(
	cwd: string,
	args: Record<string, unknown>,
	signal?: AbortSignal,
): Promise<AgentToolResult & { text: string }> {
	await using env = await testToolEnv({ cwd });
	const result = await callTool(grep.bind(env), args, signal);
	return { ...result, text: textOf(result) };
}

describe("matches", () => {
	const files = {
		"src/b.ts": "one\nfind me\nthree\nfour\nfive\nfind me too\n",
		"src/a.ts": "Find me\n",
		"docs/c.md": "find me\n",
		"node_modules/m/d.ts": "find me\n",
	};

	test("are listed below their file with their line, files in order", async () => {
		const { text, details } = await run(plant(files), { pattern: "find me" });
		expect(text).toBe("docs/c.md\n1:find me\nsrc/b.ts\n2:find me\n6:find me too");
		expect(details).toEqual({ matches: 3, files: 2, shown: 3, truncated: false });
	});

	test("have context lines, and gaps are marked", async () => {
		const { text } = await run(plant(files), { pattern: "find me", path: "src/b.ts", context: 1 });
		expect(text).toBe("src/b.ts\n1-one\n2:find me\n3-three\n--\n5-five\n6:find me too");
	});

	const choices: [what: string, args: Record<string, unknown>, found: string[]][] = [
		["in any case", { pattern: "FIND", ignoreCase: true }, ["docs/c.md", "src/a.ts", "src/b.ts"]],
		["in a directory", { pattern: "find", path: "docs" }, ["docs/c.md"]],
		["in files of a glob", { pattern: "find", glob: "*.ts" }, ["src/b.ts"]],
		["in a path that is a glob", { pattern: "find", path: "src/*.ts" }, ["src/b.ts"]],
		["in node_modules when it is named", { pattern: "find", path: "node_modules" }, ["node_modules/m/d.ts"]],
		["over several lines", { pattern: "one\\nfind" }, ["src/b.ts"]],
		["over lines by a flag of the regex", { pattern: "(?s)three.*five" }, ["src/b.ts"]],
	];
	test.each(choices)("%s", async (_, args, matches) => {
		const { text } = await run(plant(files), args);
		expect(text.split("\n").filter((line) => !/^\d+[:-]/.test(line))).toEqual(matches);
	});

	test("of plain text are literal", async () => {
		const { text } = await run(plant({ a: "f(x)\nf.x\n" }), { pattern: "f(x)", literal: true });
		expect(text).toBe("a\n1:f(x)");
	});

	test("are the same in files with CR LF, for line endings in the pattern and for `$`", async () => {
		const root = plant({ "dos.txt": "one;\r\ntwo\r\nthree;\r\n" });
		expect((await run(root, { pattern: "[^;]$" })).text).toBe("dos.txt\n2:two");
		expect((await run(root, { pattern: "^one;$\\ntwo$" })).text).toBe("dos.txt\n1:one;\n2:two");
		expect((await run(root, { pattern: "two\nthree", literal: true })).text).toBe("dos.txt\n2:two\n3:three;");
	});

	test("in a binary file are only counted", async () => {
		const { text } = await run(plant({ a: "x\0x" }), { pattern: "x", path: "a" });
		expect(text).toBe("a: binary, 1 matches");
	});

	test("contain no control sequences, and unusual names can be used in the next call", async () => {
		const { text } = await run(plant({ "a\nb": "x\x1b[31mred\u202e" }), { pattern: "red" });
		expect(text).toBe('"a\\nb"\n1:xred');
	});

	test("outside of the working directory have absolute paths", async () => {
		const other = plant({ a: "x" });
		expect((await run(plant({}), { pattern: "x", path: other })).text).toBe(`${join(other, "a")}\n1:x`);
	});
});

describe("very many matches", () => {
	test("are cut evenly, with the total number", async () => {
		const root = plant({ a: "x\n".repeat(500), b: "x\n".repeat(3), c: "x\n" });
		const { text, details } = await run(root, { pattern: "x", limit: 10 });
		const first = Array.from({ length: 6 }, (_, at) => `${at + 1}:x`).join("\n");
		expect(text).toBe(
			`a\n${first}\n[494 more in this file]\nb\n1:x\n2:x\n3:x\nc\n1:x\n` +
				"[10 of 504 matches, 3 of 3 files; narrow with path, glob or pattern]",
		);
		expect(details).toEqual({ matches: 504, files: 3, shown: 10, truncated: true });
	});

	test("do not show context of hidden matches", async () => {
		const root = plant({ a: `x\n${"-\n".repeat(20)}x\n` });
		const { text } = await run(root, { pattern: "x", limit: 1, context: 2 });
		expect(text).toStartWith("a\n1:x\n2--\n3--\n[1 more in this file]\n[1 of 2 matches");
	});

	test("are counted up to a limit", async () => {
		const { text } = await run(plant({ a: "x\n".repeat(limits.counted + 5) }), { pattern: "x", limit: 1 });
		expect(text).toContain(`[1 of more than ${limits.counted} matches`);
	});

	test("in long lines are limited in columns and bytes", async () => {
		const files = Object.fromEntries(
			Array.from({ length: 40 }, (_, at) => [
				`f${at}`,
				`${"é".repeat(5000)}x${"é".repeat(5000)}\n`.repeat(20),
			]),
		);
		const { text } = await run(plant(files), { pattern: "x", limit: 1000 });
		expect(Buffer.byteLength(text)).toBeLessThan(limits.bytes + 20_000);
		expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThan(limits.lineChars + 20);
		expect(text).toMatch(/\[\d+ of 800 matches, \d+ of 40 files; narrow with path, glob or pattern\]$/);
	});
});

describe("no match", () => {
	test("is reported, and marked useless", async () => {
		const root = plant({ a: "y" });
		expect(await run(root, { pattern: "x" })).toMatchObject({ text: "No matches for x.", useless: true });
		const narrow = await run(root, { pattern: "x", path: ".", glob: "*.ts" });
		expect(narrow).toMatchObject({ text: "No matches for x in . (*.ts).", useless: true });
	});
});

describe("an invalid call is explained", () => {
	const wrong: [what: string, args: Record<string, unknown>, text: string][] = [
		[
			"a regex, with the position",
			{ pattern: "ok|foo(bar" },
			"Invalid regex at character 7: unclosed group.\nok|foo(bar\n      ^\nEscape it with a backslash, or set literal to search for plain text.",
		],
		["a missing path", { pattern: "x", path: "gone" }, "There is no file or directory gone."],
		["a glob", { pattern: "x", glob: "*.{ts" }, "A { is not closed in the glob *.{ts."],
	];
	test.each(wrong)("%s", async (_, args, text) => {
		expect(await run(plant({ a: "x" }), args)).toMatchObject({ text, isError: true });
	});

	test("a pipe, socket or device is not waited for", async () => {
		const { text, isError } = await run(plant({}), { pattern: "a", path: "/dev/zero" });
		expect({ text, isError }).toEqual({
			text: "/dev/zero is neither a file nor a directory.",
			isError: true,
		});
	});

	test("a long regex is shown around the error", async () => {
		const { text } = await run(plant({}), { pattern: `${"a".repeat(500)}(${"b".repeat(500)}` });
		const [, excerpt = "", mark = ""] = text.split("\n");
		expect(excerpt.length).toBeLessThanOrEqual(limits.patternChars);
		expect(excerpt[mark.indexOf("^")]).toBe("(");
	});
});

test("an abort of the user ends it", async () => {
	expect(await run(plant({ a: "x" }), { pattern: "x" }, AbortSignal.abort())).toMatchObject({
		text: "The search was interrupted by the user.",
		isError: true,
	});
});

test("a user sees the pattern, and where it is searched", () => {
	expect(grep.describeCall({ pattern: "a|b", path: "src", glob: "*.ts" })).toBe("grep a|b in src (*.ts)");
	expect(grep.describeCall({})).toBe("grep …");
});
