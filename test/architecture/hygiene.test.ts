/** Hygiene of source files: their length, what they print, suppress, skip and delete. */
import { describe, expect, test } from "bun:test";
import { consoleUse } from "./checks/console.ts";
import { deletes } from "./checks/deletes.ts";
import { size } from "./checks/size.ts";
import { skips } from "./checks/skips.ts";
import { suppressions } from "./checks/suppressions.ts";
import { problemsIn, report } from "./fixture.ts";
import { repository } from "./tree.ts";

describe("size", () => {
	test("no file of the repository is too long", async () => {
		expect(await report(size, repository)).toBe("");
	});

	test("a file of 501 lines is caught, one of 500 and a generated one are not", async () => {
		const files = {
			"packages/web/src/long.tsx": "x;\n".repeat(501),
			"packages/web/src/right.tsx": "x;\n".repeat(500),
			"packages/ai/src/models.generated.ts": "x;\n".repeat(900),
			"packages/ai/src/data/models.ts": "x;\n".repeat(900),
			"packages/ai/src/prompt.md": "x\n".repeat(900),
		};
		const problems = await problemsIn(size, files);
		expect(problems).toEqual([expect.stringMatching(/^packages\/web\/src\/long\.tsx:501 has 501 lines/)]);
	});
});

describe("console", () => {
	test("only the CLI of the repository prints", async () => {
		expect(await report(consoleUse, repository)).toBe("");
	});

	const loud = [
		`console.error("x");`,
		`console["log"]("x");`,
		"process.stdout.write(text);",
		"`${process.stderr.write(text)}`;",
		"Bun.stdout.writer();",
	];
	test.each(loud)("%s is caught outside the CLI", async (source) => {
		const problems = await problemsIn(consoleUse, { "packages/tui/src/a.ts": `\n${source}` });
		expect(problems).toEqual([expect.stringMatching(/^packages\/tui\/src\/a\.ts:2 .* outside the CLI/)]);
	});

	test("the CLI, print mode, the played model, tests and scripts may print; mentions of `console` pass", async () => {
		const files = {
			"packages/coding-agent/src/cli/a.ts": "console.log(1);",
			"packages/coding-agent/src/modes/print/a.ts": "process.stdout.write(x);",
			"packages/ai/src/testing/main.ts": "process.stderr.write(x);",
			"packages/ai/src/a.test.ts": "console.log(1);",
			"scripts/a.ts": "console.log(1);",
			"bench/a.ts": "console.log(1);",
			"packages/ai/src/a.ts": `// console.log\nf("console.log", page.console.log, process.stdout.columns);`,
		};
		expect(await problemsIn(consoleUse, files)).toEqual([]);
	});
});

describe("suppressions", () => {
	test("the repository suppresses no warning", async () => {
		expect(await report(suppressions, repository)).toBe("");
	});

	const hidden = [
		"// eslint-disable-next-line",
		"/* oxlint-disable no-var */",
		"// @ts-ignore",
		"// prettier-ignore",
	];
	test.each(hidden)("%s is caught", async (comment) => {
		const problems = await problemsIn(suppressions, { "bench/a.ts": `f();\n${comment}\ng();` });
		expect(problems).toEqual([expect.stringMatching(/^bench\/a\.ts:2 .*hides a problem/)]);
	});

	test("the same text in a string passes", async () => {
		expect(await problemsIn(suppressions, { "bench/a.ts": `f("// eslint-disable", '@ts-ignore');` })).toEqual(
			[],
		);
	});
});

describe("skips", () => {
	test("every test of the repository runs or names what it needs", async () => {
		expect(await report(skips, repository)).toBe("");
	});

	const tricks = [
		"test.skip",
		"test.only",
		"test.todo",
		"it.skip",
		"describe.only",
		"test.skipIf(x)",
		"test.concurrent.only",
		"xit",
	];
	test.each(tricks)("%s is caught", async (trick) => {
		const source = `import * as all from "bun:test";\n${trick}("name", () => {});`;
		const problems = await problemsIn(skips, { "packages/ai/src/a.test.ts": source });
		expect(problems).toEqual([
			expect.stringMatching(/^packages\/ai\/src\/a\.test\.ts:2 .*use needs\("program"\)/),
		]);
	});

	test("a file of tests without a test is caught", async () => {
		const helper = `export const a = 1; // test("x")`;
		const files = { "packages/ai/src/a.test.ts": helper, "packages/ai/src/testing/a.ts": helper };
		expect(await problemsIn(skips, files)).toEqual([
			expect.stringContaining("packages/ai/src/a.test.ts has no test: helpers of tests stand in"),
		]);
	});

	test("a test that starts git without asking for it is caught", async () => {
		const source = (define: string) =>
			`import { test } from "bun:test";\n${define}("x", () => Bun.spawnSync(["git", "init"]));`;
		const files = {
			"test/a.test.ts": source("test"),
			"test/b.test.ts": source('needs("bwrap", "git")'),
			"test/c.test.ts": `test("x", () => Bun.which("git") && Bun.spawn(["git", "init"]));`,
			"test/d.test.ts": `test("x", () => expect(words).toEqual(["git", "npm"]));`,
			"test/helper.ts": `export const init = () => Bun.spawnSync(["git", "init"]);`,
			"test/e.test.ts": `import { init } from "./helper.ts";\ntest("x", init);`,
		};
		expect((await problemsIn(skips, files)).toSorted()).toEqual([
			expect.stringMatching(/^test\/a\.test\.ts:2 starts git, .* needs\("git"\)/),
			expect.stringMatching(/^test\/e\.test\.ts:1 starts git/),
		]);
	});

	test("the helper itself, plain tests and rows of tests pass", async () => {
		const files = {
			"test/support/needs.ts": `import { test } from "bun:test";\ntest.skip("x");`,
			"packages/ai/src/a.test.ts": `import { test } from "bun:test";\ntest("only skip", f); test.each([1])("x", f); list.skip(1);`,
		};
		expect(await problemsIn(skips, files)).toEqual([]);
	});
});

describe("deletes", () => {
	test("the tests of the repository delete only what they created", async () => {
		expect(await report(deletes, repository)).toBe("");
	});

	/** In two parts, because this file is checked too. */
	const shell = `r${"m -rf"}`;
	const bad = [
		"rmSync(path, { recursive: true });",
		"await rm(`${root}/x`, { recursive: true, force: true });",
		`rmSync(process.env.HOME ?? "", { recursive: true });`,
		`const root = mkdtempSync(join(tmpdir(), "a-")); rmSync(join(root, "..", name), { recursive: true });`,
		`const root = mkdtempSync("/tmp/a-"); rmSync(root + other, { recursive: true });`,
		`await $\`${shell} \${path}\`;`,
		`run('${shell} "$DIR"');`,
	];
	test.each(bad)("%s is caught", async (source) => {
		const problems = await problemsIn(deletes, { "packages/ai/src/a.test.ts": `\n${source}` });
		expect(problems).toEqual([expect.stringMatching(/^packages\/ai\/src\/a\.test\.ts:2 deletes the tree /)]);
	});

	test("directories from mkdtemp and paths below them may be deleted, and so may single files; product code is not checked", async () => {
		const files = {
			"test/a.ts": `const root = await realpath(await mkdtemp(join(tmpdir(), "a-")));
				const inside = join(root, "b");
				rmSync(inside, { recursive: true });
				await rm(root, { recursive: true, force: true });`,
			"bench/a.ts": `let home: string = ""; home = mkdtempSync("/tmp/a-"); rmSync(join(home, "b"), { recursive: true });`,
			"packages/ai/src/a.test.ts": "rmSync(path); rmSync(path, { force: true }); say('rm -rf /');",
			"packages/ai/src/a.ts": "rmSync(path, { recursive: true });",
		};
		expect(await problemsIn(deletes, files)).toEqual([]);
	});
});
