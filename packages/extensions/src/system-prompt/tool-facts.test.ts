/**
 * What models have to be told, as a checklist: a shorter prompt must not lose a parameter, a limit, a form or a rule.
 * Each tool has calls that use these facts as a model would, which must be accepted as they are.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { builtinTools } from "@tau/integrations/builtin";
import type { AgentTool } from "@tau/agent";
import type { ToolEnv } from "@tau/tools/tool";

import { testToolEnv } from "../../../../test/support/tool-env.ts";
import { systemPrompt } from "./system-prompt.ts";

interface Checklist {
	/** Found in the description or in the schema of the parameters. */
	readonly facts: readonly (string | RegExp)[];
	readonly calls: readonly Readonly<Record<string, unknown>>[];
}

const checklists: Readonly<Record<string, Checklist>> = {
	read: {
		facts: [
			"line numbers",
			/5,000 lines or 50 KB/,
			"how to continue",
			/directory tree/,
			"image",
			"PDF",
			"Office",
			"notebook",
			"archive",
			"SQLite",
			"web page",
			"`a.ts:50-100`",
			"`a.ts:50+20`",
			"PDF pages",
			"notebook cells",
			"`a.zip:inner/file`",
			"`db.sqlite:table`",
			"`db.sqlite:table:key`",
			"`db.sqlite?q=SELECT",
			"`https://",
			"`artifact://ID`",
			/"offset":\{"description":"[^"]*from 1"/,
			'"limit"',
		],
		calls: [{ path: "a.ts:50-100" }, { path: "a.ts", offset: 1, limit: 20 }],
	},
	write: {
		facts: [
			/whole file/,
			"`edit` changes parts",
			"`a.zip:inner/path`",
			"zip, tar, tar.gz, tgz",
			"`db.sqlite:table` (inserts a JSON row)",
			"`db.sqlite:table:key` (updates it; empty deletes it)",
			"`conflict://ID`",
			"@ours",
			"@theirs",
			"@base",
			"@both",
			"`*` for all",
			/[Rr]efused if the file changed/,
			"No README or docs",
		],
		calls: [
			{ path: "a.txt", content: "" },
			{ path: "conflict://*", content: "@ours" },
		],
	},
	edit: {
		facts: [
			"exactly once",
			"without line numbers",
			"`all`",
			"before the call",
			"must not overlap",
			"all or none",
			'"all":{"type":"boolean"}',
		],
		calls: [{ path: "a.txt", edits: [{ oldText: "a", newText: "", all: true }] }],
	},
	bash: {
		facts: [
			"`cd`, variables, functions and aliases persist",
			"`cwd` and `env` last one call",
			"No input, no pager",
			"50 KB",
			"`async` starts a `job`",
			"`pty`: a terminal",
			/"timeout":\{"description":"seconds, default 300"/,
		],
		calls: [{ command: "make", cwd: "sub", timeout: 600, env: { CI: "1" }, async: true, pty: true }],
	},
	job: {
		facts: [
			/`poll` waits .* and returns new output/,
			"without `id`",
			"`output` returns all",
			/`input` types into a job with `pty` \(\\n is Enter\)/,
			'["list","poll","output","input","kill"]',
			"seconds, default 30",
		],
		calls: [
			{ action: "poll", wait: 60 },
			{ action: "input", id: "j1", input: "y\n" },
		],
	},
	grep: {
		facts: [
			"regex",
			String.raw`\\n spans lines`,
			"file or directory",
			"ignored files only if `path` names them",
			"*.{ts,tsx}",
			"!*.test.ts",
			'"ignoreCase"',
			'"literal"',
			'"context":{"type":"integer","maximum":20}',
			'"limit":{"type":"integer","maximum":1000}',
		],
		calls: [{ pattern: "a|b", path: "src", glob: "*.ts", ignoreCase: true, context: 0, limit: 1000 }],
	},
	find: {
		facts: [
			"glob",
			"fuzzy",
			"newest first",
			"ignored files only if `path` names them",
			"*.ts (any depth)",
			"docs/ (directories)",
			'"limit":{"type":"integer","maximum":1000}',
		],
		calls: [{ pattern: "sess log", path: "src", limit: 5 }],
	},
	ls: { facts: ["slash", '"sizes"', '"path"'], calls: [{}, { path: "src", sizes: true }] },
	ast_grep: {
		facts: [
			"$NAME for one node",
			"$$$NAME for several",
			"`console.log($$$ARGS)`",
			'"glob"',
			'"lang"',
			'"path"',
			...["ts", "tsx", "js", "py", "go", "rust", "java", "c", "bash", "html", "css", "json", "yaml"].map(
				(name) => new RegExp(`Languages: .*\\b${name}\\b`),
			),
		],
		calls: [{ pattern: "f($A)", path: "src", glob: "*.ts", lang: "py", limit: 10 }],
	},
	ast_edit: {
		facts: ["as in ast_grep", "$NAME and $$$NAME", "Only previews", "`resolve` applies or discards"],
		calls: [{ pattern: "f($A)", rewrite: "g($A)", path: "src", glob: "*.ts", lang: "ts" }],
	},
	resolve: { facts: ["latest preview", '["apply","discard"]'], calls: [{ action: "apply", reason: "fits" }] },
	todo: {
		facts: [
			"user sees",
			"in order, all or none",
			"init {list} replaces it",
			"start {task}",
			"append {phase, items}",
			"done, drop, rm {task or phase; neither: all}",
			"view",
			"exact text",
			"One task is in progress",
			"starts automatically",
		],
		calls: [
			{ ops: [{ op: "init", list: [{ phase: "A", items: ["one"] }] }] },
			{ ops: [{ op: "done", task: "one" }, { op: "rm", phase: "A" }, { op: "view" }] },
		],
	},
	task: {
		facts: [
			"side by side",
			"complete assignment",
			"nothing of this conversation",
			"only its report",
			"yourself",
			"`schema`",
			"`background` returns at once",
			"`isolation`: a copy of the project, merged at the end",
			"`agent://<name>`",
			"`agent://<name>/path`",
			"- explore:",
			"- plan:",
			"- browser:",
			"- task:",
			"- reviewer:",
			'"maxItems":32',
			"for all tasks",
			"default task",
			'"cost":{"description":"$"',
			'"none","auto"',
		],
		calls: [
			{
				context: "c",
				tasks: [
					{
						assignment: "a",
						agent: "explore",
						name: "Scout",
						model: "m",
						tools: ["read"],
						budget: { cost: 1, tokens: 1, turns: 1, seconds: 1 },
						isolation: "auto",
						schema: { type: "object" },
					},
				],
				background: true,
			},
		],
	},
	ask: {
		facts: [
			"only they can decide",
			"the work depends on",
			"`recommended`",
			"may type another answer",
			"one call",
			'"maxItems":8',
			'"maxItems":12',
			'"multiple"',
			"index in options",
		],
		calls: [
			{
				questions: [
					{ question: "q", options: [{ label: "l", description: "d" }], multiple: true, recommended: 0 },
				],
			},
		],
	},
};

let env: ToolEnv & AsyncDisposable;
beforeAll(async () => void (env = await testToolEnv({ cwd: "/" })));
afterAll(() => env[Symbol.asyncDispose]());

const first = builtinTools.filter(
	({ name, isForAgents, searchHint }) => !isForAgents && searchHint === undefined && name !== "submit_plan",
);

function bound(name: string): AgentTool {
	const tool = first.find((each) => each.name === name)?.bind(env);
	if (!tool) throw new Error(`there is no tool ${name} in the first request`);
	return tool;
}

test("every tool of the first request has a checklist", () => {
	expect(Object.keys(checklists).toSorted()).toEqual(first.map(({ name }) => name).toSorted());
});

describe.each(Object.entries(checklists))("%s", (name, { facts, calls }) => {
	test("says everything that a model has to know", () => {
		const { description, parameters } = bound(name);
		const text = `${description}\n${JSON.stringify(parameters)}`;
		const missing = facts.filter((fact) =>
			typeof fact === "string" ? !text.includes(fact) : !fact.test(text),
		);
		expect(missing).toEqual([]);
	});

	test("accepts calls that use it", () => {
		for (const call of calls) expect(bound(name).validate(call)).toEqual({ ok: true, value: call });
	});
});

test("a bound that the schema does not state is named when a call is refused", () => {
	const refusals: [name: string, call: Record<string, unknown>, reason: RegExp][] = [
		["read", { path: "" }, /path: Too small/],
		["read", { path: "a", offset: 0 }, /offset: Too small: expected number to be >0/],
		["edit", { path: "a", edits: [] }, /edits: Too small/],
		["todo", { ops: [{ op: "start", task: "x".repeat(501) }] }, /task: Too big: .*<=500 characters/],
		["ask", { questions: [{ question: "q", recommended: -1 }] }, /recommended: Too small/],
	];
	for (const [name, call, reason] of refusals) {
		const result = bound(name).validate(call);
		expect(result.ok ? "accepted" : result.reason).toMatch(reason);
	}
});

test("the rules of the system prompt name what is done with which tool", () => {
	const prompt = systemPrompt({ cwd: "/", tools: first.map(({ name }) => name) });
	for (const fact of [
		"Look before you answer",
		"in parallel",
		"no more",
		"project's style",
		"Verify each change",
		"Be brief",
		"Search with grep and find",
		"Read with read",
		"Read a file before you edit it",
		"only when new",
		"For three or more steps, keep a todo list",
		"could not do",
	])
		expect(prompt).toContain(fact);
});
