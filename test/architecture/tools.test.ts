/** The type checker, the formatter, the linter and knip check the tree, with the repository's settings. */
// takes 35 s
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { format } from "./checks/format.ts";
import { knip } from "./checks/knip.ts";
import { lint } from "./checks/lint.ts";
import { types } from "./checks/types.ts";
import { problemsIn, report, writeFixture } from "./fixture.ts";
import { repository } from "./tree.ts";

async function settings(name: string): Promise<string> {
	return Bun.file(join(repository, name)).text();
}

// Checks of the whole repository take up to 10 s on a free processor, and ten times as long on a busy one.
setDefaultTimeout(240_000);

describe("types", () => {
	test("the repository has no type error", async () => {
		expect(await report(types, repository)).toBe("");
	});

	// The real settings, so that a weaker tsconfig.json fails here.
	const tsconfig = JSON.stringify({
		extends: join(repository, "tsconfig.json"),
		compilerOptions: { types: [] },
		include: ["src"],
	});

	const wrong: [promise: string, source: string, code: string][] = [
		["a wrong type", "export const a: number = 'x';", "TS2322"],
		["an implicit any", "export const a = (x) => x;", "TS7006"],
		["an index that may miss", "export const a = (x: string[]): string => x[0];", "TS2322"],
		["undefined for what is only optional", "export const a: { x?: number } = { x: undefined };", "TS2375"],
		["an enum", "export enum A { B }", "TS1294"],
		["an unused name", "const a = 1;\nexport {};", "TS6133"],
	];
	// The checker takes a second for its libraries: one run for all.
	let found: Promise<string[]> | undefined;
	test.each(wrong)("%s is caught", async (_promise, source, code) => {
		const files = wrong.map(([, text], at) => [`src/${at}.ts`, text] as const);
		found ??= problemsIn(types, { "tsconfig.json": tsconfig, ...Object.fromEntries(files) });
		const file = `src/${wrong.findIndex(([, text]) => text === source)}.ts`;
		const own = (await found).filter((problem) => problem.startsWith(`${file}:`));
		expect(own).toEqual([expect.stringContaining(`${file}:1 ${code}`)]);
	});

	test("a tree with nothing to check is a problem, a valid one is not", async () => {
		expect(await problemsIn(types, { "tsconfig.json": tsconfig })).toEqual([
			expect.stringContaining("tsconfig.json"),
		]);
		expect(await problemsIn(types, { "tsconfig.json": tsconfig, "src/a.ts": "export const a = 1;" })).toEqual(
			[],
		);
	});
});

test("a tree without type errors is checked again as soon as it changes", async () => {
	const tsconfig = `{ "compilerOptions": { "noEmit": true, "strict": true, "types": [] } }`;
	const files = { "tsconfig.json": tsconfig, "a.ts": "export const a: number = 1;\n", "node_modules/x": "" };
	await using tree = await writeFixture(files);
	const remembered = Bun.file(join(tree.root, "node_modules/.cache/types-checked"));
	await Bun.write(join(tree.root, "b.ts"), "export const b: number = 'x';\n");
	expect(await types(tree.root)).toHaveLength(1);
	expect(await remembered.exists()).toBe(false);
	await Bun.write(join(tree.root, "b.ts"), "export const b: number = 2;\n");
	expect(await types(tree.root)).toEqual([]);
	const state = await remembered.text();
	expect(await types(tree.root)).toEqual([]);
	expect(await remembered.text()).toBe(state);
	await Bun.write(join(tree.root, "a.ts"), "export const a: number = 'x';\n");
	expect(await types(tree.root)).toHaveLength(1);
});

describe("format", () => {
	test("the repository is formatted", async () => {
		expect(await report(format, repository)).toBe("");
	});

	test("an unformatted file is caught, and only that one", async () => {
		const files = {
			"bunfig.toml": await settings("bunfig.toml"),
			"a.ts": "if (x) {\n  f( );\n}\n",
			"b.ts": "if (x) {\n\tf();\n}\n",
			"prompt.md": "*  any   layout\n",
		};
		expect(await problemsIn(format, files)).toEqual(["a.ts is not formatted; run: bun fmt a.ts"]);
	});

	test("a file that cannot be parsed is reported", async () => {
		const problems = await problemsIn(format, { "a.ts": "if (\n" });
		expect(problems).toEqual([expect.stringContaining("bun fmt failed")]);
	});
});

describe("lint", () => {
	test("the repository has no lint problem", async () => {
		expect(await report(lint, repository)).toBe("");
	});

	const body = (lines: number): string => `export function f() {\n${"\tg();\n".repeat(lines)}}\n`;

	const wrong: [rule: string, source: string][] = [
		["no-explicit-any", "export const a: any = 1;\n"],
		["ban-ts-comment", "// @ts-expect-error: it is so\nexport const a = 1;\n"],
		["no-non-null-assertion", "export const a = f()!;\n"],
		["no-console", `console.log("x");\n`],
		["no-empty", "try {\n\tf();\n} catch {}\n"],
		["no-unused-vars", "const a = 1;\n"],
		["prefer-const", "let a = 1;\nf(a);\n"],
		["eqeqeq", "f(a == b);\n"],
		["no-warning-comments", "// TODO: later\nf();\n"],
		["max-lines-per-function", body(81)],
		["max-lines", "f();\n".repeat(501)],
		["consistent-type-imports", `import { A } from "./a.ts";\nexport const b: A = 1;\n`],
		["preserve-caught-error", "try {\n\tf();\n} catch (error) {\n\tthrow new Error('x');\n}\n"],
		["no-debugger", "debugger;\n"],
	];
	test("each rule that we rely on is reported by its name", async () => {
		const sources = wrong.map(([rule, source]) => [`packages/ai/src/${rule}.ts`, source] as const);
		const problems = await problemsIn(lint, {
			".oxlintrc.json": await settings(".oxlintrc.json"),
			...Object.fromEntries(sources),
		});
		for (const [rule] of wrong) {
			expect(problems).toContainEqual(
				expect.stringMatching(new RegExp(`^packages/ai/src/${rule}\\.ts:\\d+ .*\\(${rule}\\)`)),
			);
		}
	});

	test("the CLI may print, tests may be long, and a catch may explain why nothing is lost", async () => {
		const files = {
			".oxlintrc.json": await settings(".oxlintrc.json"),
			"packages/coding-agent/src/cli/a.ts": `console.log("x");\n`,
			"packages/ai/src/a.test.ts": body(100),
			"packages/ai/src/a.ts": "try {\n\tf();\n} catch {\n\t// Gone already.\n}\n",
			"packages/ai/src/models.generated.ts": "var a: any;\n",
		};
		expect(await problemsIn(lint, files)).toEqual([]);
	});

	test("a broken configuration is a problem of its own", async () => {
		const problems = await problemsIn(lint, {
			".oxlintrc.json": `{"rules": {"no-such-rule": 5}}`,
			"a.ts": "f();\n",
		});
		expect(problems).toEqual([expect.stringContaining(".oxlintrc.json oxlint failed")]);
	});
});

describe("knip", () => {
	test("everything in the repository is used", async () => {
		expect(await report(knip, repository)).toBe("");
	});

	const manifest = (dependencies: Record<string, string>): string =>
		JSON.stringify({ name: "@tau/ai", type: "module", exports: { ".": "./src/index.ts" }, dependencies });

	const withManifests = async (files: Record<string, string>): Promise<Record<string, string>> => ({
		"knip.json": await settings("knip.json"),
		"package.json": JSON.stringify({ name: "tau", type: "module", workspaces: ["packages/*"] }),
		"packages/ai/src/index.ts": `import { a } from "./a.ts";\nexport const b = a;\n`,
		"packages/ai/src/a.ts": "export type A = 1;\nexport const a: A = 1;\n",
		...files,
	});

	test("an unused file, export and dependency and an unlisted package are caught", async () => {
		const files = await withManifests({
			"packages/ai/package.json": manifest({ zod: "4.0.0" }),
			"packages/ai/src/a.ts": "export const a = 1;\nexport const c = 2;\n",
			"packages/ai/src/d.ts": "export const d = 1;\n",
			"packages/ai/src/e.test.ts": `import "yaml";\n`,
		});
		expect(await problemsIn(knip, files)).toEqual([
			expect.stringMatching(/^packages\/ai\/package\.json\S* nobody imports "zod"/),
			expect.stringMatching(/^packages\/ai\/src\/a\.ts:2 nobody imports "c"/),
			expect.stringMatching(/^packages\/ai\/src\/d\.ts no entry of knip\.json reaches this file/),
			expect.stringMatching(
				/^packages\/ai\/src\/e\.test\.ts:1 "yaml" is imported and not in the package\.json/,
			),
		]);
	});

	test("a tree in which everything is used passes", async () => {
		expect(await problemsIn(knip, await withManifests({ "packages/ai/package.json": manifest({}) }))).toEqual(
			[],
		);
	});

	test("a broken configuration is a problem of its own", async () => {
		const problems = await problemsIn(knip, { "package.json": "{}", "knip.json": `{"entry": 5}` });
		expect(problems).toEqual([expect.stringContaining("knip.json knip failed")]);
	});
});
