/** Files of other programs are found where those write them, from home and from the project up to its root. */
import { expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";

import { sources, discoveryPaths } from "@tau/resources/sources";
import { standardRegistry } from "./standard-registry.ts";
import { survey, type SurveySection } from "./survey.ts";
import { Switches, describeWarning } from "@tau/resources/discovery";
import { plantTree, skillText, type Tree } from "@tau/resources/discovery/testing";

const server = JSON.stringify({ mcpServers: { s: { command: "npx", args: ["--key=secret"] } } });
const toml = 'prompt = "Hi {{args}}"\ndescription = "d"\n';

/** Where each program stores what: the path below home, its content, and the expected kind and name. */
const left: [source: string, path: string, text: string, found: string][] = [
	["tau", ".tau/agent/skills/a/SKILL.md", skillText("a"), "skills:a"],
	["tau", ".tau/agent/skills/b.md", skillText("b"), "skills:b"],
	["tau", "project/.tau/commands/x/y.md", "Y", "commands:x:y"],
	["tau", "project/.tau/prompts/p.md", "P", "commands:p"],
	["tau", "project/.tau/rules/r.mdc", "R", "rules:r"],
	["tau", "project/.tau/mcp.json", server, "mcp:s"],
	["omp", ".omp/agent/skills/a/SKILL.md", skillText("a"), "skills:a"],
	["omp", "project/.omp/commands/c.md", "C", "commands:c"],
	["pi", ".pi/agent/prompts/p.md", "P", "commands:p"],
	["pi", "project/.pi/skills/deep/down/SKILL.md", skillText("d"), "skills:d"],
	["claude", ".claude/skills/a/SKILL.md", skillText("a"), "skills:a"],
	["claude", "project/.claude/commands/git/commit.md", "C", "commands:git:commit"],
	["claude", "project/.claude/agents/reviewer.md", "---\ndescription: R\n---\nR", "agents:reviewer"],
	["claude", ".claude.json", server, "mcp:s"],
	["codex", ".codex/prompts/p.md", "P", "commands:p"],
	["codex", ".codex/config.toml", '[mcp_servers.s]\ncommand = "npx"\n', "mcp:s"],
	["gemini", "project/.gemini/commands/git/commit.toml", toml, "commands:git:commit"],
	["gemini", ".gemini/settings.json", '{"mcpServers":{"s":{"httpUrl":"https://x.test/mcp"}}}', "mcp:s"],
	["agents", "project/.agents/skills/a/SKILL.md", skillText("a"), "skills:a"],
	["cursor", "project/.cursor/rules/style.mdc", "R", "rules:style"],
	["cursor", "project/.cursorrules", "R", "rules:.cursorrules"],
	["cursor", "project/.cursor/commands/c.md", "C", "commands:c"],
	["cursor", ".cursor/mcp.json", server, "mcp:s"],
	["windsurf", "project/.windsurf/rules/r.md", "R", "rules:r"],
	["windsurf", "project/.windsurf/workflows/w.md", "W", "commands:w"],
	[
		"windsurf",
		".codeium/windsurf/mcp_config.json",
		'{"mcpServers":{"s":{"serverUrl":"https://x.test"}}}',
		"mcp:s",
	],
	["cline", "project/.clinerules/r.md", "R", "rules:r"],
	["cline", "project/.clinerules/workflows/w.md", "W", "commands:w"],
	["copilot", "project/.github/copilot-instructions.md", "R", "rules:copilot-instructions.md"],
	["copilot", "project/.github/instructions/ts.instructions.md", "R", "rules:ts"],
	["copilot", "project/.github/prompts/p.prompt.md", "P", "commands:p"],
	["tau", "project/.tau/instructions/ts.md", "R", "rules:ts"],
	["tau", ".tau/agent/instructions/go.md", "R", "rules:go"],
	["omp", "project/.omp/instructions/ts.md", "R", "rules:ts"],
	["omp", ".omp/agent/instructions/go.md", "R", "rules:go"],
	["vscode", "project/.vscode/settings.json", '{"mcp": {"servers": {"s": {"command": "npx"}}}}', "mcp:s"],
	["vscode", "project/.vscode/settings.json", '{"mcp.servers": {"s": {"command": "npx"}}}', "mcp:s"],
	["vscode", "project/.vscode/mcp.json", '{ // mine\n"servers": {"s": {"command": "npx",}},}', "mcp:s"],
	["opencode", ".config/opencode/commands/team/review.md", "R", "commands:team:review"],
	["opencode", "project/opencode.json", '{"mcp":{"s":{"type":"local","command":["npx"]}}}', "mcp:s"],
	["mcp-json", "project/.mcp.json", server, "mcp:s"],
];

async function look(
	{ home, project }: Tree,
	disabled: string[] = [],
	cwd = project,
): Promise<SurveySection[]> {
	const paths = discoveryPaths(cwd, { HOME: home });
	return survey(standardRegistry(), paths, new Switches(disabled));
}

function named(sections: readonly SurveySection[], state = "used"): string[] {
	return sections.flatMap(({ id, rows }) =>
		rows.filter((row) => row.state === state).map(({ name, source }) => `${source} ${id}:${name}`),
	);
}

test.each(left)("%s: %s", async (source, path, text, match) => {
	using tree = plantTree();
	tree.put(path, text);
	const sections = await look(tree);
	expect(named(sections)).toEqual([`${source} ${match}`]);
	const row = sections.flatMap(({ rows }) => rows)[0];
	expect(row?.path).toBe(join(tree.home, path));
	expect(row?.level).toBe(path.startsWith("project/") ? "project" : "user");
	expect(JSON.stringify(sections)).not.toContain("secret");
	// Disabling the program disables it.
	expect(named(await look(tree, [source]))).toEqual([]);
	expect(named(await look(tree, [source]), "disabled")).toEqual([`${source} ${match}`]);
});

test("every source is tested here", () => {
	expect(new Set(left.map(([source]) => source))).toEqual(new Set(sources.map(({ id }) => id)));
});

test("the order of the programs decides, then distance, then project before user", async () => {
	using tree = plantTree();
	const below = join(tree.project, "packages/a");
	mkdirSync(below, { recursive: true });
	const places = [
		"project/packages/a/.claude/skills/x/SKILL.md",
		"project/.claude/skills/x/SKILL.md",
		".claude/skills/x/SKILL.md",
		"project/.codex/skills/x/SKILL.md",
		".gemini/skills/x/SKILL.md",
		"project/.agents/skills/x/SKILL.md",
	];
	for (const path of places) tree.put(path, skillText("x"));
	const order = (await look(tree, [], below)).flatMap(({ rows }) => rows.map(({ path }) => path));
	expect(order).toEqual(places.map((path) => join(tree.home, path)));
	tree.put(".pi/agent/skills/x/SKILL.md", skillText("x"));
	expect(named(await look(tree, [], below))).toEqual(["pi skills:x"]);
	tree.put(".tau/agent/skills/x/SKILL.md", skillText("x"));
	expect(named(await look(tree, [], below))).toEqual(["tau skills:x"]);
});

test("directories above the repository and other projects are not searched", async () => {
	using tree = plantTree();
	tree.put("code/repo/.git/HEAD", "");
	tree.put("code/.claude/skills/x/SKILL.md", skillText("x"));
	tree.put("project/.claude/skills/y/SKILL.md", skillText("y"));
	expect(named(await look(tree, [], join(tree.home, "code/repo")))).toEqual([]);
});

test("in a home that is a repository everything is the user's", async () => {
	using tree = plantTree();
	tree.put(".git/HEAD", "");
	tree.put(".claude/commands/c.md", "C");
	const [row] = (await look(tree, [], tree.home)).flatMap(({ rows }) => rows);
	expect(row?.level).toBe("user");
});

test("AGENTS.md and CLAUDE.md of one directory: one is used, the other is reported", async () => {
	using tree = plantTree();
	tree.put("project/AGENTS.md", "a");
	tree.put("project/CLAUDE.md", "c");
	tree.put(".claude/CLAUDE.md", "mine");
	expect(named(await look(tree))).toEqual(["claude context:CLAUDE.md", "agents context:AGENTS.md"]);
	expect(named(await look(tree), "shadowed")).toEqual(["claude context:CLAUDE.md"]);
	expect(named(await look(tree, ["agents"]))).toEqual([
		"claude context:CLAUDE.md",
		"claude context:CLAUDE.md",
	]);
});

test("broken files are reported with path and line, and affect nothing else", async () => {
	using tree = plantTree();
	const json = tree.put("project/.mcp.json", '{"mcpServers": {\n"a": [}\n}');
	const gemini = tree.put("project/.gemini/commands/bad.toml", "prompt = \n");
	const none = tree.put("project/.gemini/commands/none.toml", 'description = "d"\n');
	const binary = tree.put("project/.claude/commands/bin.md", new Uint8Array([65, 0, 66]));
	const long = tree.put("project/.cursorrules", "x".repeat(300 * 1024));
	tree.put("project/.claude/commands/good.md", "Good");
	const sections = await look(tree);
	expect(named(sections)).toEqual(["claude commands:good"]);
	const warned = sections.flatMap(({ warnings }) => warnings);
	expect(new Set(warned.map(({ path }) => path))).toEqual(new Set([json, gemini, none, binary, long]));
	expect(warned.every(({ isLeftOut }) => isLeftOut)).toBe(true);
	expect(warned.find(({ path }) => path === json)?.line).toBe(2);
	expect(warned.find(({ path }) => path === gemini)?.line).toBe(1);
});

test("a file name cannot imitate a line of Tau's output", () => {
	const message = 'the name "a\nb" is none';
	expect(describeWarning({ path: "/x/\x1b[2Ja\nTrusted.md", line: 2, message, isLeftOut: true })).toBe(
		'/x/a Trusted.md:2: the name "a b" is none',
	);
});

test("no key in a server's URL is shown, and a disabled server is marked", async () => {
	using tree = plantTree();
	const servers = {
		a: { url: "https://me:hush@x.test/mcp?key=hush", disabled: true },
		b: { url: "x?key=hush" },
	};
	tree.put("project/.mcp.json", JSON.stringify({ mcpServers: servers }));
	const rows = (await look(tree)).flatMap((section) => section.rows);
	expect(rows.map(({ about, state, because }) => [about, state, because])).toEqual([
		["https://x.test/mcp", "disabled", "in its file"],
		["x", "used", undefined],
	]);
});

test("links out of the project are rejected, those within it are followed", async () => {
	using tree = plantTree();
	tree.put("secret.md", "key");
	tree.put("project/docs/c.md", "C");
	tree.link(join(tree.home, "secret.md"), "project/.claude/commands/leak.md");
	tree.link(join(tree.home, "secret.md"), "project/.cursor/rules/leak.mdc");
	tree.link(join(tree.project, "docs/c.md"), "project/.claude/commands/c.md");
	const sections = await look(tree);
	expect(named(sections)).toEqual(["claude commands:c"]);
	expect(sections.flatMap(({ warnings }) => warnings).map(({ message }) => message)).toEqual([
		"it is a link that points outside the project",
		"it is a link that points outside the project",
	]);
});
