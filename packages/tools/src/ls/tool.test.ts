/** A directory is listed completely, with ignored entries separate. */
import { afterAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { AgentToolResult } from "@tau/agent";

import { callTool, testToolEnv, textOf } from "../../../../test/support/tool-env.ts";
import { limits } from "./limits.ts";
import { ls } from "./tool.ts";

const base = mkdtempSync(join(tmpdir(), "tau-ls-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));
let made = 0;

function directory(files: Record<string, string>): string {
	const root = join(base, String(made++));
	mkdirSync(root);
	for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
	return root;
}

async function run(
	cwd: string,
	args: Record<string, unknown> = {},
): Promise<AgentToolResult & { text: string }> {
	await using env = await testToolEnv({ cwd });
	const result = await callTool(ls.bind(env), args);
	return { ...result, text: textOf(result) };
}

test("names in order, directories with a slash, links with their target", async () => {
	const root = directory({ "b.ts": "", "a.ts": "", ".hidden": "" });
	mkdirSync(join(root, "lib"));
	symlinkSync("a.ts", join(root, "link"));
	const { text, details } = await run(root);
	expect(text).toBe(".hidden\na.ts\nb.ts\nlib/\nlink -> a.ts");
	expect(details).toEqual({ entries: 5, ignored: 0, truncated: false });
});

test("ignored entries are listed separately", async () => {
	const root = directory({ ".gitignore": "*.log\nout/", "a.log": "", "b.ts": "" });
	mkdirSync(join(root, ".git"));
	mkdirSync(join(root, "out"));
	expect((await run(root)).text).toBe(".git/\n.gitignore\nb.ts\nIgnored: a.log out/");
});

test("sizes on request", async () => {
	const root = directory({ a: "12345", b: "" });
	mkdirSync(join(root, "c"));
	expect((await run(root, { sizes: true })).text).toBe("a  5\nb  0\nc/");
});

test("names that a line cannot contain are quoted", async () => {
	expect((await run(directory({ "two\nlines": "", "red\x1b[31m": "" }))).text).toBe(
		'"red\\u001b[31m"\n"two\\nlines"',
	);
});

test("very many names are cut, with the total number", async () => {
	const many = Object.fromEntries(
		Array.from({ length: limits.names + 5 }, (_, at) => [String(at).padStart(4, "0"), ""]),
	);
	const lines = (await run(directory(many))).text.split("\n");
	expect(lines).toHaveLength(limits.names + 1);
	expect(lines.at(-1)).toBe(
		`[${limits.names} of ${limits.names + 5} names; use find with a pattern to see others]`,
	);
});

describe("anything but a directory", () => {
	const wrong: [path: string, text: string][] = [
		["gone", "There is no directory gone."],
		["file", "file is a file. Use read."],
	];
	test.each(wrong)("%s", async (path, text) => {
		expect(await run(directory({ file: "" }), { path })).toMatchObject({ text, isError: true });
	});

	test("an unreadable and an empty directory are reported", async () => {
		const root = directory({});
		expect((await run(root)).text).toBe(". is an empty directory.");
		const locked = join(root, "locked");
		mkdirSync(locked, { mode: 0 });
		const { text } = await run(root, { path: "locked" });
		chmodSync(locked, 0o700);
		// Root may read everything.
		const isRoot = process.getuid?.() === 0;
		expect(text).toBe(isRoot ? "locked is an empty directory." : "No permission to list locked.");
	});
});

test("a user sees the directory", () => {
	expect(ls.describeCall({ path: "src" })).toBe("ls src");
	expect(ls.describeCall({})).toBe("ls .");
});
