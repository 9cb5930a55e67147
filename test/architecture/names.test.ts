/** Retired names and phrases stay retired. */
import { expect, test } from "bun:test";
import { names } from "./checks/names.ts";
import { problemsIn, report } from "./fixture.ts";
import { repository } from "./tree.ts";

test("no file of the repository uses a retired name or phrase", async () => {
	expect(await report(names, repository)).toBe("");
});

test("a retired name is caught wherever it is an identifier", async () => {
	const problems = await problemsIn(names, {
		"packages/tools/src/a.ts": "export interface ToolPlace {}",
		"packages/tools/src/b.ts": "\nview.#hear(event);",
		"test/c.test.ts": "`${breathe()}`;",
	});
	expect(problems).toEqual([
		"packages/tools/src/a.ts:1 ToolPlace is a retired name: use ToolEnv",
		"packages/tools/src/b.ts:2 hear is a retired name: use onEvent",
		"test/c.test.ts:1 breathe is a retired name: use yieldToInput",
	]);
});

test("a retired phrase is caught in a comment, also over two lines, and in a test name", async () => {
	const problems = await problemsIn(names, {
		"packages/tools/src/a.ts": "/**\n * Shown to the\n * person.\n */\nexport const a = 1; // It goes on.",
		"test/b.test.ts": `test("a person reads it", f);\ntest.each([1])("loops for ever", f);\nf("goes on");`,
	});
	expect(problems).toEqual([
		'packages/tools/src/a.ts:1 "the person" is a retired phrase: write the user',
		'packages/tools/src/a.ts:5 "goes on" is a retired phrase: write continues',
		'test/b.test.ts:1 "a person" is a retired phrase: write a user',
		'test/b.test.ts:2 "for ever" is a retired phrase: write forever',
	]);
});

test("British spelling is caught in names, comments, strings and pages", async () => {
	const problems = await problemsIn(names, {
		"packages/tui/src/a.ts": "// Serialised once.\nexport const isColoured = f('neighbours');",
		"docs/a.md": "The behaviour of it.",
		"CHANGELOG.md": "Colours.",
	});
	expect(problems.toSorted()).toEqual([
		'docs/a.md:1 "behaviour" is British spelling: write behavior',
		'packages/tui/src/a.ts:1 "Serialis" is British spelling: write serializ',
		'packages/tui/src/a.ts:2 "Colour" is British spelling: write color',
		'packages/tui/src/a.ts:2 "neighbour" is British spelling: write neighbor',
	]);
});

test("comments, strings, longer names and fixtures may contain one", async () => {
	const files = {
		"packages/ai/src/a.ts": `// ToolPlace\nf("hear", places, hearing);`,
		"packages/ai/src/fixtures/b.ts": "tell();",
	};
	expect(await problemsIn(names, files)).toEqual([]);
});
