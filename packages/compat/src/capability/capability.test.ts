/** omp's capabilities: what Tau finds under omp's names, and what extensions add. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { capabilityExports } from "./index.ts";

const { defineCapability, registerProvider, loadCapability, disableProvider, resetCapabilityForTests } =
	capabilityExports;

let directory: string;
const writeFixture = (path: string, text: string): void => {
	mkdirSync(dirname(join(directory, path)), { recursive: true });
	writeFileSync(join(directory, path), text);
};

beforeEach(() => {
	directory = realpathSync(mkdtempSync(join(tmpdir(), "tau-capability-")));
	writeFixture(".git/HEAD", "ref: refs/heads/main\n");
	resetCapabilityForTests();
});

afterEach(() => {
	rmSync(directory, { recursive: true, force: true });
	resetCapabilityForTests();
});

describe("what Tau finds", () => {
	test("skills, rules, commands, prompts, context files and servers have omp's shapes", async () => {
		writeFixture("AGENTS.md", "Be brief.");
		writeFixture("sub/.keep", "");
		writeFixture(".claude/skills/pdf/SKILL.md", "---\nname: pdf\ndescription: Reads PDF\n---\nUse a reader.");
		writeFixture(".omp/rules/style.md", "---\ndescription: Style\nglobs: ['*.ts']\n---\nTabs only.");
		writeFixture(
			".omp/commands/review.md",
			"---\ndescription: Reviews\nargument-hint: <file>\n---\nReview $1.",
		);
		writeFixture(".pi/prompts/plan.md", "Make a plan.");
		writeFixture(".mcp.json", JSON.stringify({ mcpServers: { web: { url: "https://example.com/mcp" } } }));
		const load = async (id: string) =>
			(await loadCapability(id, { cwd: join(directory, "sub") })).items.filter(({ _source }) =>
				_source.path.startsWith(directory),
			);
		expect(await load("context-files")).toMatchObject([
			{ path: join(directory, "AGENTS.md"), content: "Be brief.", level: "project", depth: 1 },
		]);
		expect(await load("skills")).toMatchObject([
			{
				name: "pdf",
				content: "Use a reader.",
				frontmatter: { description: "Reads PDF" },
				_source: { provider: "claude", level: "project" },
			},
		]);
		expect(await load("rules")).toMatchObject([{ name: "style", content: "Tabs only.", globs: ["*.ts"] }]);
		expect(await load("slash-commands")).toMatchObject([
			{ name: "review", content: "Review $1.", description: "Reviews", argumentHint: "<file>" },
		]);
		expect(await load("prompts")).toMatchObject([{ name: "plan", content: "Make a plan." }]);
		expect(await load("mcps")).toMatchObject([
			{ name: "web", enabled: true, url: "https://example.com/mcp" },
		]);
	});

	test("can be taken from some providers only", async () => {
		writeFixture(".claude/skills/pdf/SKILL.md", "---\nname: pdf\ndescription: Reads PDF\n---\nUse a reader.");
		const options = { cwd: directory, filter: ({ name }: Record<string, unknown>) => name === "pdf" };
		expect((await loadCapability("skills", options)).providers).toEqual(["claude"]);
		expect((await loadCapability("skills", { ...options, providers: ["codex"] })).items).toEqual([]);
		expect((await loadCapability("skills", { ...options, excludeProviders: ["claude"] })).items).toEqual([]);
	});
});

describe("what extensions add", () => {
	const provider = (id: string, priority: number, names: readonly string[]) => ({
		id,
		displayName: id.toUpperCase(),
		description: "",
		priority,
		load: async ({ cwd }: { cwd: string }) => ({
			items: names.map((name) => ({ name, path: join(cwd, name) })),
		}),
	});

	beforeEach(() => {
		defineCapability({
			id: "recipes",
			displayName: "Recipes",
			description: "What to cook",
			key: ({ name }) => String(name),
			validate: ({ name }) => (name === "bad" ? "is bad" : undefined),
		});
		registerProvider("recipes", provider("low", 10, ["soup", "bad"]));
		registerProvider("recipes", provider("high", 90, ["soup", "bread"]));
	});

	test("is ordered by priority, deduplicated by key and validated", async () => {
		const { items, all, warnings, providers } = await loadCapability("recipes", { cwd: "/kitchen" });
		expect(items.map(({ name, _source }) => [name, _source.provider])).toEqual([
			["soup", "high"],
			["bread", "high"],
		]);
		expect(all).toHaveLength(3);
		expect(all.filter(({ _shadowed }) => _shadowed)).toMatchObject([{ _source: { provider: "low" } }]);
		expect(warnings).toEqual(["/kitchen/bad: is bad"]);
		expect(providers).toEqual(["high"]);
	});

	test("a provider that is disabled or fails is left out, and a failure is a warning", async () => {
		disableProvider("high");
		registerProvider("recipes", {
			...provider("broken", 1, []),
			load: async () => {
				throw new Error("no oven");
			},
		});
		const { items, warnings } = await loadCapability("recipes");
		expect(items).toMatchObject([{ name: "soup", _source: { provider: "low" } }]);
		expect(warnings).toContain("[BROKEN] failed to load: no oven");
	});

	test("an unknown capability is an error that names the known ones", () => {
		expect(loadCapability("nothing")).rejects.toThrow(/Unknown capability "nothing". Known: .*recipes/);
		expect(() =>
			defineCapability({ id: "recipes", displayName: "", description: "", key: () => undefined }),
		).toThrow("already defined");
	});
});
