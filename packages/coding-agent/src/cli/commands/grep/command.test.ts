/** `tau grep` searches, prints and exits as users and scripts expect it of grep. */
import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { SearchEvent } from "@tau/sys";

import { tauProgram } from "../../../../../../test/support/launch.ts";
import { parseArgs } from "../../args.ts";
import { grepPrinter } from "./printer.ts";

const base = mkdtempSync(join(tmpdir(), "tau-grep-command-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));
mkdirSync(join(base, "src"));
writeFileSync(join(base, "src/a.ts"), "one\nfind me\nthree\n");
writeFileSync(join(base, "b.md"), "Find me @here -x\n");

async function tau(...args: string[]): Promise<{ code: number; out: string; err: string }> {
	const child = Bun.spawn([tauProgram, "grep", ...args], {
		cwd: base,
		stdin: "ignore",
		stdout: "pipe",
		stderr: "pipe",
		env: { ...process.env, HOME: base },
	});
	const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
	return { code, out, err };
}

const found: [what: string, args: string[], out: string][] = [
	["a pattern", ["find me"], "src/a.ts:2:find me\n"],
	["a pattern with a dash", ["--", "-x"], "b.md:1:Find me @here -x\n"],
	["a pattern that looks like a file for the model", ["@here"], "b.md:1:Find me @here -x\n"],
	[
		"in a directory, with context",
		["find", "src", "-C", "1"],
		"src/a.ts-1-one\nsrc/a.ts:2:find me\nsrc/a.ts-3-three\n",
	],
	["names only", ["-l", "-i", "FIND", "-g", "*.md"], "b.md\n"],
];
test.each(found)("finds %s", async (_, args, out) => {
	expect(await tau(...args)).toEqual({ code: 0, out, err: "" });
});

describe("exit code", () => {
	test("1: no match", async () => {
		expect(await tau("nowhere")).toEqual({ code: 1, out: "", err: "" });
	});

	test("2: an error, with its reason", async () => {
		const regex = await tau("f(");
		expect(regex.code).toBe(2);
		expect(regex.err).toStartWith("tau: Invalid regex at character 2: unclosed group.\n");
		expect(await tau("x", "gone")).toMatchObject({ code: 2, err: expect.stringContaining("gone") });
		expect(await tau()).toMatchObject({
			code: 2,
			err: expect.stringContaining("tau grep <pattern> [path…]"),
		});
		expect(await tau("x", "-m", "0")).toMatchObject({ code: 2, err: expect.stringContaining("--max-count") });
	});
});

describe("on a terminal", () => {
	function printed(events: readonly SearchEvent[], isColored: boolean): string {
		let text = "";
		const out = { isTerminal: true, write: (more: string) => void (text += more) };
		const print = grepPrinter(out, { isColored, namesOnly: false, hasContext: true });
		for (const event of events) void print(event);
		return text;
	}
	const line = (number: number, text: string) => ({ number, text, ranges: [[0, 1] as const] });
	const events: SearchEvent[] = [
		{ type: "match", path: "./a", lines: [line(1, "x\x1b[31m")] },
		{ type: "match", path: "./a", lines: [line(5, "x")] },
		{ type: "end", path: "./a", matches: 2, isBinary: true },
		{ type: "match", path: "b", lines: [line(1, "x")] },
	];

	test("lines are below their file, and control sequences in a file are removed", () => {
		expect(printed(events, false)).toBe("a\n1:x\n--\n5:x\na: binary file matches\n\nb\n1:x\n");
	});

	test("matches are in color", () => {
		expect(printed(events.slice(0, 1), true)).toBe("\x1b[35ma\x1b[0m\n\x1b[32m1\x1b[0m:\x1b[1;31mx\x1b[0m\n");
	});
});

describe("a prompt that starts with the word", () => {
	test("is a prompt with -p", () => {
		expect(parseArgs(["-p", "grep", "the", "@file"])).toMatchObject({
			messages: ["grep", "the"],
			files: ["file"],
		});
		expect(parseArgs(["--", "grep", "x"])).toMatchObject({ messages: ["grep", "x"], operands: [] });
		expect(parseArgs(["grep for me"])).toMatchObject({ messages: ["grep for me"], operands: [] });
	});

	test("is a search otherwise, whatever the words look like", () => {
		const args = parseArgs(["grep", "a b", "./x y", "@z", "--", "-w"]);
		expect(args).toMatchObject({ command: "grep", operands: ["a b", "./x y", "@z", "-w"], files: [] });
	});
});
