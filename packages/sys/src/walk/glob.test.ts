/** A glob matches what its author means. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { glob } from "./find.ts";
import { compileGlob, splitGlob } from "./glob-pattern.ts";

const root = mkdtempSync(join(tmpdir(), "tau-glob-"));
beforeAll(() => {
	for (const path of [
		"a.ts",
		"src/b.ts",
		"src/deep/c.tsx",
		"src/deep/.d.ts",
		"docs/x.md",
		"node_modules/m/i.ts",
	]) {
		mkdirSync(dirname(join(root, path)), { recursive: true });
		writeFileSync(join(root, path), "");
	}
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const finds: [pattern: string, found: string[]][] = [
	["*.ts", ["a.ts", "src/b.ts", "src/deep/.d.ts"]],
	["**/*.ts", ["a.ts", "src/b.ts", "src/deep/.d.ts"]],
	["/*.ts", ["a.ts"]],
	["./*.ts", ["a.ts", "src/b.ts", "src/deep/.d.ts"]],
	["src/*.ts", ["src/b.ts"]],
	["src/**", ["src/b.ts", "src/deep/.d.ts", "src/deep/c.tsx"]],
	["src/**/*", ["src/b.ts", "src/deep/.d.ts", "src/deep/c.tsx"]],
	["src/*", ["src/b.ts", "src/deep"]],
	["*.{tsx,md}", ["docs/x.md", "src/deep/c.tsx"]],
	["[a-c].ts*", ["a.ts", "src/b.ts", "src/deep/c.tsx"]],
	["?.md", ["docs/x.md"]],
	["deep", ["src/deep"]],
	["deep/", ["src/deep"]],
	["b.ts/", []],
	["!*.ts", ["docs", "docs/x.md", "src", "src/deep", "src/deep/c.tsx"]],
	["node_modules/**/*.ts", ["node_modules/m/i.ts"]],
	["nothing.*", []],
];
test.each(finds)("%s", async (pattern, matches) => {
	const { entries } = await glob({ root, pattern, hidden: true });
	expect(entries.map(({ path }) => path)).toEqual(matches);
});

describe("an invalid glob is refused with a reason", () => {
	const bad: [pattern: string, message: string][] = [
		["*.{ts", "A { is not closed"],
		["*.ts}", "A } closes nothing"],
		["[a-z.ts", "A [ is not closed"],
		["/", "The glob is empty"],
		["x".repeat(5000), "at most 4096 characters"],
	];
	test.each(bad)("%s", (pattern, message) => {
		expect(() => compileGlob(pattern)).toThrow(message);
	});
	test("escaped brackets and braces are valid", () => {
		for (const pattern of ["\\{a", "[{]", "[]]", "a\\[b"]) compileGlob(pattern);
		expect(compileGlob("[{]x")("{x")).toBe(true);
	});
});

const splits: [pattern: string, base: string, rest: string][] = [
	["*.ts", "", "*.ts"],
	["name", "", "name"],
	["docs/", "", "docs/"],
	["src/*.ts", "src", "/*.ts"],
	["src/deep/**/x", "src/deep", "/**/x"],
	["src/name", "src", "/name"],
	["/abs/a*b/c", "/abs", "/a*b/c"],
	["/*.ts", "/", "/*.ts"],
	["../up/*.ts", "../up", "/*.ts"],
	["src/{a,b}/c", "src", "/{a,b}/c"],
	["!src/*.ts", "", "!src/*.ts"],
];
test.each(splits)("%s is searched in the directory that it names", (pattern, base, rest) => {
	expect(splitGlob(pattern)).toEqual({ base, rest });
});
