/** Text for models and names of models stay out of the code. */
import { describe, expect, test } from "bun:test";
import { modelIds } from "./checks/model-ids.ts";
import { prompts } from "./checks/prompts.ts";
import { problemsIn, report } from "./fixture.ts";
import { repository } from "./tree.ts";

const path = "packages/agent/src/a.ts";
const sentence = "You are a careful reader and answer in one short sentence. ";
const prose = sentence.repeat(5);

describe("prompts", () => {
	test("the repository keeps its prompts in .md files", async () => {
		expect(await report(prompts, repository)).toBe("");
	});

	const bad: [promise: string, source: string][] = [
		["a long string", `const a = "${prose}";`],
		["a long template, holes aside", `const a = \`${prose} \${name} ${sentence}\`;`],
		["a string in the hole of a template", `const a = \`\${"${prose}"}\`;`],
		[
			"pieces that are added up",
			`const a = "${sentence}" +\n"${sentence}" +\n"${sentence}" +\n"${sentence}" + "${sentence}";`,
		],
		["many short words", `f("${"be so kind as to do it ".repeat(7)}");`],
		["a property called prompt", `const a = { prompt: "${sentence.repeat(2)}" };`],
		["a variable called instructions", `const reviewInstructions = "${sentence.repeat(2)}";`],
		["a typed variable", `const systemPrompt: string | undefined = \`${sentence.repeat(2)}\`;`],
	];
	test.each(bad)("%s is caught", async (_promise, source) => {
		const problems = await problemsIn(prompts, { [path]: `\n${source}` });
		expect(problems).toEqual([
			expect.stringMatching(/^packages\/agent\/src\/a\.ts:2 .*move it to a \.md file/),
		]);
	});

	test("messages, help tables, keys, comments, tests and other directories pass", async () => {
		const files = {
			[path]: [
				`throw new Error("cannot read the file: it is longer than the limit, so read a part of it with an offset");`,
				`const help = [${`"--flag  does one thing and says so",`.repeat(20)}];`,
				`const key = "${"QUJDREVGR0hJSktMTU5PUFFS".repeat(20)}";`,
				`const query = "${"SELECT a.b, c.d FROM t WHERE x = $1 AND y <> '{}'; ".repeat(8)}";`,
				`// ${prose}`,
				`const prompt = ask ? "yes" : other;`,
				`const prompts = { title: "${sentence}" };`,
			].join("\n"),
			"packages/agent/src/a.test.ts": `const prompt = "${prose}";`,
			"packages/ai/src/testing/a.ts": `const prompt = "${prose}";`,
			"packages/ai/src/a.generated.ts": `const prompt = "${prose}";`,
			"scripts/a.ts": `const prompt = "${prose}";`,
			"packages/agent/src/prompt.md": prose,
		};
		expect(await problemsIn(prompts, files)).toEqual([]);
	});
});

describe("model ids", () => {
	test("the repository names no model in code", async () => {
		expect(await report(modelIds, repository)).toBe("");
	});

	const ids = [
		`if (id === "claude-sonnet-4-5") f();`,
		`id.startsWith("anthropic/claude-3");`,
		`id.startsWith('gpt-5');`,
		"const a = `openai/gpt-4o-${size}`;",
		`id === "o3";`,
		`id === "o4-mini";`,
		`id.includes("gemini-2.5-pro");`,
		`"meta/llama-3.3-70b";`,
		`"qwen3-coder";`,
		`"deepseek-reasoner";`,
		`"grok-4";`,
		`"mistral-large-latest";`,
		"if (/^(?:us\\.)?claude-(?:opus|sonnet)/.test(id)) f();",
		"return /gpt-[45]/i.test(id);",
		"return /^gemini-\\d/.test(id);",
	];
	test.each(ids)("%s is caught", async (source) => {
		const problems = await problemsIn(modelIds, { [path]: `\n\n${source}` });
		expect(problems).toEqual([expect.stringMatching(/^packages\/agent\/src\/a\.ts:3 names a model/)]);
	});

	test("tools, vendors, comments, data and tests pass", async () => {
		const files = {
			[path]: `// unlike gpt-4\nconst a = ["claude", "claude-code", "openai", "mistral", "grok", "gemini", "command-line", "o1x"];`,
			"packages/ai/src/data/models.ts": `"gpt-5";`,
			"packages/ai/src/models.generated.ts": `"gpt-5";`,
			"packages/ai/src/models.json": `["gpt-5"]`,
			"packages/ai/src/a.test.ts": `"gpt-5";`,
			"packages/ai/src/testing/a.ts": `"gpt-5";`,
		};
		expect(await problemsIn(modelIds, files)).toEqual([]);
	});
});
