/** The list of models is complete, says what is missing, and fits the terminal. */
import { describe, expect, test } from "bun:test";

import type { Env } from "@tau/utils";
import { ModelRegistry, noModelSettings, type ProviderConfig } from "@tau/config/models";

import { jsonLines, modelTable, rowsOf } from "./model-table.ts";

const endpoint = { baseUrl: "https://x.example", api: "openai-completions" };
const configured: Record<string, ProviderConfig> = {
	free: {
		...endpoint,
		auth: "none",
		models: [
			{ id: "quick-4.5", name: "Quick", contextWindow: 1_048_576, maxTokens: 8192, input: ["text", "image"] },
			{ id: "evil\u001b[31m", contextWindow: 500, maxTokens: 100 },
		],
	},
	locked: {
		...endpoint,
		models: [
			{
				id: "quick-4.5",
				reasoning: true,
				thinkingLevelMap: { minimal: null, xhigh: "max" },
				cost: { input: 0.25, output: 15, cacheRead: 0, cacheWrite: 0 },
				contextWindow: 272_000,
				maxTokens: 999_999,
			},
		],
	},
};

function registryOf(env: Env = {}): ModelRegistry {
	const file = { path: "", providers: new Map(Object.entries(configured)), problems: [] };
	const builtin = new ModelRegistry(file, env).providerIds().filter((id) => !(id in configured));
	return new ModelRegistry(file, env, { settings: { ...noModelSettings, disabledProviders: builtin } });
}

function lines(search = "", width = Number.POSITIVE_INFINITY): string[] {
	const registry = registryOf();
	return modelTable(rowsOf(registry, search), registry, width).trimEnd().split("\n");
}

test("every model has a line with its properties, available ones first", () => {
	expect(lines().map((line) => line.replace(/ {2,}/g, " | "))).toEqual([
		"provider | model | context | max out | thinking | images | $ in/out | usable",
		"free | quick-4.5 | 1M | 8.2K | – | yes | 0/0 | yes",
		"free | evil | 500 | 100 | – | – | 0/0 | yes",
		"locked | quick-4.5 | 272K | 1M | low-xhigh | – | 0.25/15 | needs an apiKey in models.yml",
		"",
		"canonical id | chosen | also at",
		"quick-4.5 | free | locked",
		"",
		expect.stringMatching(/^3 models, 2 providers, 2 usable; catalog of \d{4}-\d\d-\d\d\.$/),
	]);
});

test("columns are under their heads", () => {
	const [head = "", ...rest] = lines();
	const column = head.indexOf("context");
	expect(rest.slice(0, 3).map((line) => line.slice(column).split(" ")[0])).toEqual(["1M", "500", "272K"]);
});

describe("a search", () => {
	const searches: [search: string, count: number][] = [
		["quick", 2],
		["QUICK-4-5", 2],
		["locked quick", 1],
		["free/quick", 1],
		["Quick 4.5", 2],
	];
	test.each(searches)("for %p finds %d", (search, count) => {
		expect(rowsOf(registryOf(), search)).toHaveLength(count);
	});

	test("with matches shows their number and the total", () => {
		expect(lines("locked").at(-1)).toStartWith("1 of 3 models, 1 providers, 0 usable");
	});

	test("without matches says so", () => {
		expect(lines("zebra")).toEqual([expect.stringMatching(/^No models match\. 0 of 3 models/)]);
	});
});

test("a narrow terminal cuts at its right edge, a pipe does not", () => {
	for (const line of lines("", 40)) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(40);
	expect(lines("", 40)[3]).toEndWith("…");
	expect(lines()[3]).toEndWith("needs an apiKey in models.yml");
});

test("a server's model names cannot contain control sequences", () => {
	expect(lines().join("\n")).not.toContain("\u001b");
});

test("JSON output has one object per line, with all properties", () => {
	const rows = jsonLines(rowsOf(registryOf(), "locked")).trimEnd().split("\n");
	expect(rows.map((row) => JSON.parse(row))).toEqual([
		{
			provider: "locked",
			id: "quick-4.5",
			name: "quick-4.5",
			canonical: "quick-4.5",
			api: "openai-completions",
			reasoning: true,
			input: ["text"],
			cost: { input: 0.25, output: 15, cacheRead: 0, cacheWrite: 0 },
			contextWindow: 272_000,
			maxTokens: 999_999,
			available: false,
			missing: "an apiKey in models.yml",
		},
	]);
});
