/** Types of agents in the forms in which users of Claude Code, omp, pi and Copilot write them. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import type { AgentType } from "@tau/tools/task";

import { loadResources, type Resources } from "@tau/extensions/resources";

let base = "";
beforeAll(() => {
	base = mkdtempSync(join(tmpdir(), "tau-agents-"));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

let count = 0;

/** Files by path: `home/…` and `work/…`. */
async function look(files: Readonly<Record<string, string>>, isTrusted = true): Promise<Resources> {
	const tree = join(base, String(count++));
	const [home, cwd] = [join(tree, "home"), join(tree, "work")];
	for (const [name, text] of Object.entries({ "home/.keep": "", "work/.git/HEAD": "", ...files })) {
		mkdirSync(dirname(join(tree, name)), { recursive: true });
		writeFileSync(join(tree, name), text);
	}
	return loadResources({
		cwd,
		env: { HOME: home, TAU_CODING_AGENT_DIR: join(home, ".tau/agent") },
		commandEnv: {},
		disabled: [],
		skillPaths: [],
		templatePaths: [],
		withSkills: false,
		withTemplates: false,
		hasSkillCommands: false,
		isTrusted: () => isTrusted,
	});
}

async function typeOf(text: string, file = "helper.md"): Promise<AgentType | undefined> {
	const { agents } = await look({ [`work/.claude/agents/${file}`]: text });
	return agents[0]?.type;
}

describe("is understood:", () => {
	const shapes: [shape: string, head: string, expected: Partial<AgentType>][] = [
		[
			"the usual form",
			"name: a\ndescription: Finds bugs\ntools: Read, Grep, Bash\nmodel: sonnet\ncolor: red",
			{
				name: "a",
				description: "Finds bugs",
				tools: ["Read", "Grep", "Bash"],
				model: "sonnet",
				color: "red",
			},
		],
		[
			"tools as a list in brackets",
			"name: a\ndescription: b\ntools: [Read, Write]",
			{ tools: ["Read", "Write"] },
		],
		[
			"tools as a list of lines",
			"name: a\ndescription: b\ntools:\n  - Read\n  - Grep",
			{ tools: ["Read", "Grep"] },
		],
		["no tools: all of the session's", "name: a\ndescription: b", { name: "a" }],
		["an empty list of tools", "name: a\ndescription: b\ntools:", { name: "a" }],
		["a star", 'name: a\ndescription: b\ntools: "*"', { name: "a" }],
		[
			"rules as tools",
			"name: a\ndescription: b\ntools: Read, Bash(git log:*, git diff:*), Edit",
			{
				tools: ["Read", "Bash", "Edit"],
			},
		],
		[
			"tools of servers",
			"name: a\ndescription: b\ntools: Read, mcp__web__open",
			{ tools: ["Read", "mcp__web__open"] },
		],
		["allowed-tools", "name: a\ndescription: b\nallowed-tools: Read, Grep", { tools: ["Read", "Grep"] }],
		["allowed_tools", "name: a\ndescription: b\nallowed_tools:\n  - Read", { tools: ["Read"] }],
		[
			"tools that it may not use",
			"name: a\ndescription: b\ndisallowedTools: WebFetch, Bash",
			{
				withoutTools: ["WebFetch", "Bash"],
			},
		],
		[
			"a description with colons",
			"name: a\ndescription: Use it when: tests fail\nmodel: opus",
			{
				description: "Use it when: tests fail",
				model: "opus",
			},
		],
		[
			"a description with escaped line breaks",
			'name: a\ndescription: Use it.\\n\\n<example>\\nuser: "hi"\\n</example>\ncolor: blue',
			{
				color: "blue",
			},
		],
		[
			"a description with examples in one line",
			`name: a\ndescription: Use it. Examples: <example>Context: tests. user: 'run them' assistant: "I'll do it"</example>\nmodel: haiku`,
			{
				model: "haiku",
			},
		],
		[
			"a description over several lines that is no YAML",
			'name: a\ndescription: Use it for work.\n\nExamples:\n\n<example>\nContext: a request.\nuser: "go"\nassistant: "yes"\n</example>\nmodel: inherit',
			{
				name: "a",
				description: "Use it for work.",
				model: "inherit",
			},
		],
		["a folded description", "name: a\ndescription: >-\n  Finds\n  bugs", { description: "Finds bugs" }],
		["a literal description", "name: a\ndescription: |\n  Finds\n  bugs", { description: "Finds\nbugs" }],
		["quotes", 'name: "a"\ndescription: "MUST BE USED for: all"', { description: "MUST BE USED for: all" }],
		["a name in another script", "name: 测试-助手\ndescription: b", { name: "测试-助手" }],
		["a name with spaces", "name: Code Reviewer\ndescription: b", { name: "Code Reviewer" }],
		["no name: that of the file", "description: b", { name: "helper" }],
		[
			"effort and turns",
			"name: a\ndescription: b\neffort: medium\nmaxTurns: 30",
			{ thinking: "medium", maxTurns: 30 },
		],
		["plan mode", "name: a\ndescription: b\npermissionMode: plan", { isReadOnly: true }],
		[
			"hooks, skills and memory, which are left out",
			"name: a\ndescription: b\nmemory: project\nskills:\n  - x\nhooks:\n  PreToolUse:\n    - matcher: Bash\n      hooks:\n        - type: command\n          command: x.sh",
			{
				name: "a",
			},
		],
		[
			"omp's fields",
			"name: a\ndescription: b\nspawns: explore, plan\nmodel: pi/smol, haiku\nthinkingLevel: high\noutput:\n  type: object\n  properties:\n    n: { type: integer }",
			{
				spawns: ["explore", "plan"],
				model: "pi/smol, haiku",
				thinking: "high",
				output: { type: "object", properties: { n: { type: "integer" } } },
			},
		],
		["models as a list", "name: a\ndescription: b\nmodel:\n  - opus\n  - sonnet", { model: "opus,sonnet" }],
		["all types to open", 'name: a\ndescription: b\nspawns: "*"', { spawns: "*" }],
		["lines that end with CR LF", "name: a\r\ndescription: b\r\ntools: Read\r", { tools: ["Read"] }],
	];
	test.each(shapes)("%s", async (_, head, expected) => {
		const type = await typeOf(`---\n${head}\n---\n\nYou help.\n`);
		expect(type).toMatchObject({ prompt: "You help.", ...expected });
		if (!("tools" in expected)) expect(type?.tools).toBeUndefined();
	});
});

test("a README beside agents is none, and a file with problems says so", async () => {
	const { agents, warnings } = await look({
		"work/.claude/agents/README.md": "# Our agents\n",
		"work/.claude/agents/bad.md": '---\nname: "../../etc"\ndescription: b\n---\nx',
		"work/.claude/agents/odd.md":
			"---\nname: odd\ndescription: b\nthinking: enormous\noutput: nothing\n---\nx",
	});
	expect(agents.map(({ name }) => name)).toEqual(["odd"]);
	expect(warnings.map(({ message }) => message)).toEqual([
		'"../../etc" cannot be the name of an agent',
		'thinking level "enormous" is unknown',
		"output is not a JSON Schema",
	]);
});

const text = (name: string, description: string): string =>
	`---\nname: ${name}\ndescription: ${description}\nmodel: opus\n---\nBody.`;

test("agents of every program are found, the first of a name counts", async () => {
	const { agents } = await look({
		"work/.tau/agents/one.md": text("one", "tau"),
		"work/.omp/agents/one.md": text("one", "omp"),
		"work/.omp/agents/two.md": text("two", "omp"),
		"work/.pi/agents/three.md": text("three", "pi"),
		"home/.pi/agent/agents/four.md": text("four", "pi of the user"),
		"home/.claude/agents/five.md": text("five", "claude"),
		"home/.tau/agent/agents/six.md": text("six", "tau of the user"),
	});
	const found = agents.map(({ name, type }) => `${name}: ${type.description}`).toSorted();
	expect(found).toEqual([
		"five: claude",
		"four: pi of the user",
		"one: tau",
		"six: tau of the user",
		"three: pi",
		"two: omp",
	]);
});

test("a project that is not trusted does not choose the model", async () => {
	const { agents } = await look(
		{ "work/.claude/agents/a.md": text("a", "x"), "home/.claude/agents/b.md": text("b", "x") },
		false,
	);
	const models = Object.fromEntries(agents.map(({ name, type }) => [name, type.model]));
	expect(models).toEqual({ a: undefined, b: "opus" });
});
