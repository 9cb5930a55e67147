/** What the documentation says about the tree is true. */
import { describe, expect, test } from "bun:test";
import { dependencies } from "./checks/dependencies.ts";
import { features } from "./checks/features.ts";
import { links } from "./checks/links.ts";
import { limits } from "./limits.ts";
import { problemsIn, report } from "./fixture.ts";
import { repository } from "./tree.ts";
import type { Files } from "./fixture.ts";

describe("links", () => {
	test("every link of the repository resolves", async () => {
		expect(await report(links, repository)).toBe("");
	});

	const guide = "# The guide\n\n## Set up `tau` & go\n\n## Again\n\n## Again\n\nUnder\n-----\n";

	const broken: [promise: string, link: string, said: string][] = [
		["a missing file", "[a](docs/none.md)", "docs/none.md, which is not there"],
		["a missing image", "![a](pic.png)", "pic.png, which is not there"],
		["a missing heading", "[a](docs/guide.md#none)", "names no heading of docs/guide.md; it has: the-guide"],
		["a missing heading of the same page", "[a](#none)", "names no heading of README.md"],
		["a reference that leads nowhere", "[a]: none.md", "none.md, which is not there"],
		["a way out of the repository", "[a](../shared/x.md)", "leaves the repository"],
		["an HTML link", `<a href="none.html">a</a>`, "none.html, which is not there"],
	];
	test.each(broken)("%s is caught", async (_promise, link, said) => {
		const problems = await problemsIn(links, { "README.md": `# Tau\n\n${link}\n`, "docs/guide.md": guide });
		expect(problems).toEqual([expect.stringContaining("README.md:3 ")]);
		expect(problems[0]).toContain(said);
	});

	test("good links pass, and code, addresses and prompts are not links", async () => {
		const files = {
			"README.md": [
				"[a](docs/guide.md) [b](docs/) [c](docs/guide.md#set-up-tau--go) [d](#tau) [e](/docs/guide.md#again-1)",
				"# Tau",
				"[`code` label](docs/guide.md 'title') [![x](docs/a%20b.png)](docs/guide.md#under)",
				"[f](https://example.com/none.md#x) [g](mailto:a@b.c) `[h](none.md)`",
				"```md",
				"[i](none.md)",
				"```",
			].join("\n"),
			"docs/guide.md": `${guide}[up](../README.md)`,
			"docs/a b.png": "",
			"packages/agent/src/prompts/system.md": "[j](none.md)",
			"packages/agent/src/fixtures/README.md": "[k](none.md)",
		};
		expect(await problemsIn(links, files)).toEqual([]);
	});
});

describe("features", () => {
	test("FEATURES.md of the repository is correct", async () => {
		expect(await report(features, repository)).toBe("");
	});

	const head = "| capability | state | reached by | shown by |\n| --- | --- | --- | --- |\n";
	const filler = Array.from(
		{ length: limits.featureRows },
		(_, n) => `| thing ${n} | not yet | \`--${n}\` | |\n`,
	).join("");
	const map = (rows: string): Files => ({
		"docs/FEATURES.md": `# Features\n\n${head}${rows}\n## More\n\n${head}${filler}`,
		"test/a.test.ts": "",
		"bench/a.ts": "",
		"src/a.ts": "",
	});

	const lies: [promise: string, row: string, said: string][] = [
		["a state that does not exist", "| a | done | x | `test/a.test.ts` |", `"done" is no state`],
		["a claim without a test", "| a | works | x | seen by eye |", "no test shows it"],
		["a claim shown by a file that is no test", "| a | partly | x | `src/a.ts` |", "no test shows it"],
		[
			"a path that is gone",
			"| a | works | x | `test/a.test.ts`, `test/b.test.ts` |",
			"test/b.test.ts, which is not there",
		],
		["a row with a missing cell", "| a | works | `test/a.test.ts` |", "four cells"],
		["the same capability twice", "| Thing 3 | not yet | x | |", "merge the rows"],
	];
	test.each(lies)("%s is caught", async (_promise, row, said) => {
		const problems = await problemsIn(features, map(row));
		expect(problems).toEqual([expect.stringContaining(said)]);
	});

	test("a table with another header and a list that is too short are caught", async () => {
		const page = `${head}| a | not yet | | |\n\n| name | state |\n|---|---|\n| x | y |\n`;
		expect(await problemsIn(features, { "docs/FEATURES.md": page })).toEqual([
			expect.stringContaining("docs/FEATURES.md has 1 rows"),
			expect.stringContaining("docs/FEATURES.md:5 the header must be"),
		]);
	});

	test("a missing FEATURES.md is caught", async () => {
		expect(await problemsIn(features, {})).toEqual([expect.stringContaining("docs/FEATURES.md is missing")]);
	});

	test("a correct list passes, with a pipe in a cell and a benchmark instead of a test", async () => {
		const rows =
			"| a \\| b | works | `tau -p x \\| y` | `test/a.test.ts` |\n| fast | partly | `--version` | `bench/a.ts` |\n";
		expect(await problemsIn(features, map(rows))).toEqual([]);
	});
});

describe("dependencies", () => {
	test("every dependency of the repository has a reason and an exact version", async () => {
		expect(await report(dependencies, repository)).toBe("");
	});

	const manifest = (all: Record<string, Record<string, string>>): string =>
		JSON.stringify(all, undefined, "\t");

	test("a dependency without a reason or with a floating version is caught on its line", async () => {
		const files = {
			"DEPENDENCIES.md": "We like zod, and `yaml` for edits.",
			"packages/ai/package.json": manifest({
				dependencies: { zod: "4.0.0" },
				devDependencies: { yaml: "^2.0.0" },
			}),
		};
		expect(await problemsIn(dependencies, files)).toEqual([
			`packages/ai/package.json:3 zod is not in DEPENDENCIES.md: name it there in backticks with its reason`,
			`packages/ai/package.json:6 yaml floats at "^2.0.0": write one exact version`,
		]);
	});

	test("an aliased package needs an exact version too", async () => {
		const files = {
			"DEPENDENCIES.md": "`yaml-v2` and `yaml-v1`",
			"package.json": manifest({
				dependencies: { "yaml-v2": "npm:@a/yaml@2.0.0", "yaml-v1": "npm:yaml@^1.0.0" },
			}),
		};
		expect(await problemsIn(dependencies, files)).toEqual([
			`package.json:4 yaml-v1 floats at "npm:yaml@^1.0.0": write one exact version`,
		]);
	});

	test("a package.json that is not JSON is caught", async () => {
		expect(await problemsIn(dependencies, { "package.json": "{" })).toEqual([
			"package.json is not JSON: correct it",
		]);
	});

	test("our own packages and named, exact ones pass", async () => {
		const files = {
			"DEPENDENCIES.md": "`zod`, `@scope/name@1.2.3-rc.1`",
			"package.json": manifest({
				dependencies: { "@tau/ai": "workspace:*", zod: "4.0.0", "@scope/name": "1.2.3-rc.1" },
			}),
		};
		expect(await problemsIn(dependencies, files)).toEqual([]);
	});
});
