/** Files are found by pattern, by name and by approximate path, folded and within limits. */
import { afterAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import type { AgentToolResult } from "@tau/agent";

import { callTool, testToolEnv, textOf } from "../../../../test/support/tool-env.ts";
import { limits } from "./limits.ts";
import { find, foldPaths } from "./tool.ts";

const base = mkdtempSync(join(tmpdir(), "tau-find-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));
let made = 0;

/** The first is the newest. */
function plant(paths: readonly string[]): string {
	const root = join(base, String(made++));
	mkdirSync(root);
	for (const [age, path] of paths.entries()) {
		mkdirSync(dirname(join(root, path)), { recursive: true });
		writeFileSync(join(root, path), path.endsWith(".gitignore") ? "*.log\ndist/\n" : "");
		utimesSync(join(root, path), 1_700_000_000 - age * 60, 1_700_000_000 - age * 60);
	}
	return root;
}

async function run(cwd: string, args: Record<string, unknown>): Promise<AgentToolResult & { text: string }> {
	await using env = await testToolEnv({ cwd });
	const result = await callTool(find.bind(env), args);
	return { ...result, text: textOf(result) };
}

const project = [
	"src/new.ts",
	"lib/old.ts",
	"src/older.ts",
	".github/ci.yml",
	"node_modules/m/i.ts",
	"dist/out.ts",
	"x.log",
	".git/HEAD",
	".gitignore",
];

describe("by glob", () => {
	test("the newest come first, and a directory is written once", async () => {
		const { text, details } = await run(plant(project), { pattern: "*.ts" });
		expect(text).toBe("src/\n  new.ts\n  older.ts\nlib/old.ts");
		expect(details).toEqual({ count: 3, shown: 3, truncated: false, order: "newest" });
	});

	const patterns: [pattern: string, path: string | undefined, text: string][] = [
		["src/*.ts", undefined, "src/\n  new.ts\n  older.ts"],
		["*.ts", "lib", "lib/old.ts"],
		["*.yml", undefined, ".github/ci.yml"],
		["src/", undefined, "src/"],
		["dist/*.ts", undefined, "dist/out.ts"],
		["node_modules/**/*.ts", undefined, "node_modules/m/i.ts"],
		["old.ts", undefined, "lib/old.ts"],
		["src/old*", undefined, "src/older.ts"],
	];
	test.each(patterns)("%s in %p", async (pattern, path, text) => {
		expect((await run(plant(project), { pattern, ...(path ? { path } : {}) })).text).toBe(text);
	});

	test("a pattern may start anywhere", async () => {
		const root = plant(project);
		expect((await run(join(root, "lib"), { pattern: "../src/n*.ts" })).text).toBe(join(root, "src/new.ts"));
		expect((await run(base, { pattern: `${root}/lib/*.ts` })).text).toBe(
			`${root.slice(base.length + 1)}/lib/old.ts`,
		);
	});

	test("files above the limit are counted", async () => {
		const root = plant(Array.from({ length: 12 }, (_, at) => `f${at}`));
		const { text, details } = await run(root, { pattern: "f*", limit: 2 });
		expect(text).toBe("f0\nf1\n[2 of 12 newest first; narrow the pattern or path]");
		expect(details).toMatchObject({ count: 12, shown: 2, truncated: true });
	});

	test("no match is reported, and marked useless", async () => {
		const { text, useless } = await run(plant(project), { pattern: "*.zig" });
		expect(text).toBe("No files match *.zig. Ignored files are listed only when path names their directory.");
		expect(useless).toBe(true);
	});
});

describe("by approximate name", () => {
	test("similar names are listed, best first", async () => {
		const root = plant(["src/session/session-log.ts", "src/session/log.md", "README.md"]);
		const { text, details } = await run(root, { pattern: "sesslog" });
		expect(text).toBe(
			"No exact match. Similar names, best first:\nsrc/session/session-log.ts\nsrc/session/log.md",
		);
		expect(details).toMatchObject({ count: 2, order: "similarity" });
		expect((await run(root, { pattern: "log session" })).text).toContain("src/session/session-log.ts");
		expect((await run(root, { pattern: "log.md", path: "src" })).text).toBe("src/session/log.md");
		expect((await run(root, { pattern: "lgmd", path: "src" })).text).toEndWith("\nsrc/session/log.md");
	});

	test("a path that is nearly right still finds it", async () => {
		const root = plant(["src/session/log.ts"]);
		expect((await run(root, { pattern: "sesion/log.ts" })).text).toEndWith("\nsrc/session/log.ts");
	});

	test("letters without a match find nothing", async () => {
		expect(await run(plant(["a"]), { pattern: "zzz" })).toMatchObject({ useless: true });
	});
});

describe("an invalid call is explained", () => {
	const wrong: [args: Record<string, unknown>, text: string][] = [
		[{ pattern: "*", path: "gone" }, "There is no directory gone."],
		[{ pattern: "*", path: "x.log" }, "x.log is not a directory."],
		[{ pattern: "*.{ts" }, "A { is not closed in the glob *.{ts."],
	];
	test.each(wrong)("%j", async (args, text) => {
		expect(await run(plant(project), args)).toMatchObject({ text, isError: true });
	});

	// Root may list everything.
	const locked = process.getuid?.() === 0 ? "No files match *" : "No permission to list locked.";
	test("a directory that may not be listed", async () => {
		const root = plant(project);
		mkdirSync(join(root, "locked"), { mode: 0 });
		const { text } = await run(root, { pattern: "*", path: "locked" });
		// Otherwise the test could not clean up.
		chmodSync(join(root, "locked"), 0o700);
		expect(text).toStartWith(locked);
	});
});

describe("folding", () => {
	test("quotes names that a line cannot contain, completely", () => {
		expect(foldPaths(["d/a", "d/two\nlines", "d/b", "top"], 1000)).toEqual({
			text: 'd/\n  a\n  b\n"d/two\\nlines"\ntop',
			shown: 4,
		});
	});

	test("stops before its limit, but shows something", () => {
		const many = Array.from({ length: 1000 }, (_, at) => `directory/file-${at}`);
		const { text, shown } = foldPaths(many, 500);
		expect(Buffer.byteLength(text)).toBeLessThanOrEqual(500);
		expect(text.split("\n")).toHaveLength(shown + 1);
		expect(foldPaths(["x".repeat(limits.bytes)], 10).shown).toBe(1);
	});
});

test("a user sees the pattern", () => {
	expect(find.describeCall({ pattern: "*.ts", path: "src" })).toBe("find *.ts in src");
	expect(find.describeCall({})).toBe("find …");
});
