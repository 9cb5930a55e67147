/** Models and keys come from the catalogue, the file, the environment and the command line in a fixed order. */
import { describe, expect, test } from "bun:test";

import { builtinModels, providers, type Model } from "@tau/ai";
import { maskSecrets, type Env } from "@tau/utils";

import { limits } from "./limits.ts";
import { ModelRegistry } from "./model-registry.ts";
import { selector } from "./model-resolver.ts";
import type { ProviderConfig } from "./models-file/index.ts";

function registryOf(configured: Record<string, ProviderConfig> = {}, env: Env = {}): ModelRegistry {
	return new ModelRegistry(
		{ path: "/home/me/.tau/agent/models.yml", providers: new Map(Object.entries(configured)), problems: [] },
		env,
	);
}

function find(registry: ModelRegistry, name: string): Model {
	const model = registry.all().find((known) => selector(known) === name);
	if (!model) throw new Error(`there is no ${name}`);
	return model;
}

function firstOf(provider: string): Model {
	const model = builtinModels().find((known) => known.provider === provider);
	if (!model) throw new Error(`there is no model of ${provider}`);
	return model;
}

const claude = firstOf("anthropic");
const routed = firstOf("openrouter");
const mine: ProviderConfig = {
	baseUrl: "https://mine.example/v1",
	api: "openai-completions",
	apiKey: "MINE_KEY",
	models: [{ id: "a" }],
};

test("without a file the catalogue is what there is", () => {
	expect(registryOf().all()).toEqual(builtinModels());
	expect(registryOf().modelsFile).toBe("/home/me/.tau/agent/models.yml");
});

describe("a built-in provider", () => {
	test("is rerouted with all its models, and only its own", () => {
		const registry = registryOf({
			openrouter: { baseUrl: "https://proxy.example/v1", headers: { "X-Team": "p" } },
		});
		for (const model of registry.all().filter(({ provider }) => provider === "openrouter")) {
			expect(model).toMatchObject({ baseUrl: "https://proxy.example/v1", headers: { "X-Team": "p" } });
		}
		expect(find(registry, selector(claude))).toEqual(claude);
	});

	test("keeps its address when only headers come in", () => {
		const registry = registryOf({ anthropic: { headers: { "X-Team": "p" }, modelOverrides: {} } });
		expect(find(registry, selector(claude))).toEqual({ ...claude, headers: { "X-Team": "p" } });
	});

	test("has single models corrected, over the provider's headers", () => {
		const facts = {
			name: "Corp",
			maxTokens: 7,
			reasoning: true,
			headers: { "X-Team": "model", "X-More": "1" },
		};
		const config = {
			headers: { "X-Team": "provider", "X-All": "1" },
			modelOverrides: { [routed.id]: facts },
		};
		const model = find(registryOf({ openrouter: config }), selector(routed));
		expect(model).toEqual({
			...routed,
			name: "Corp",
			maxTokens: 7,
			reasoning: true,
			headers: { "X-Team": "model", "X-All": "1", "X-More": "1" },
		});
	});

	test("has compat merged, nested blocks too, without losing its own flags", () => {
		const model = firstOf("openai");
		const once = { compat: { openRouterRouting: { only: ["a"] }, extraBody: { x: 1 } } };
		const corrected = find(registryOf({ openai: { modelOverrides: { [model.id]: once } } }), selector(model));
		expect(corrected.compat).toEqual({ ...model.compat, ...once.compat });
	});

	test("takes a model of the file, which replaces one of the same id", () => {
		const registry = registryOf({
			anthropic: { ...mine, models: [{ id: claude.id, name: "Mine" }, { id: "new" }] },
		});
		const all = registry.all().filter(({ provider }) => provider === "anthropic");
		expect(all.filter(({ id }) => id === claude.id)).toEqual([
			expect.objectContaining({ name: "Mine", baseUrl: mine.baseUrl, api: "openai-completions" }),
		]);
		expect(all.filter(({ id }) => id === "new")).toHaveLength(1);
		expect(registry.all()).toHaveLength(builtinModels().length + 1);
	});
});

describe("a provider of the file", () => {
	test("has models with sensible defaults, found before the catalogue", () => {
		const registry = registryOf({ mine });
		expect(registry.all()[0]).toEqual({
			id: "a",
			name: "a",
			api: "openai-completions",
			provider: "mine",
			baseUrl: "https://mine.example/v1",
			reasoning: false,
			input: ["text"],
			cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
			contextWindow: limits.defaultContextWindow,
			maxTokens: limits.defaultMaxTokens,
		});
		expect(registry.all().slice(1)).toEqual(builtinModels());
	});

	test("has models that say more, override its headers and choose their protocol", () => {
		const { models: _, ...provider } = mine;
		const model = {
			id: "a",
			name: "A",
			api: "anthropic-messages" as const,
			headers: { "X-Team": "model" },
			compat: { extraBody: { x: 1 } },
			contextWindow: 5,
		};
		const config = { ...provider, headers: { "X-Team": "provider", "X-All": "1" }, models: [model] };
		expect(find(registryOf({ mine: config }), "mine/a")).toMatchObject({
			...model,
			headers: { "X-Team": "model", "X-All": "1" },
		});
	});

	test("has overrides applied to its own models, compat merged block by block", () => {
		const model = {
			id: "a",
			compat: { supportsStore: true, extraBody: { x: 1, y: 1 }, openRouterRouting: { only: ["a"] } },
		};
		const override = {
			maxTokens: 9,
			compat: { extraBody: { y: 2, z: 2 }, openRouterRouting: { order: ["b"] } },
		};
		const config = { ...mine, models: [model], modelOverrides: { a: override } };
		const merged = find(registryOf({ mine: config }), "mine/a");
		expect(merged.maxTokens).toBe(9);
		expect(merged.compat).toEqual({
			supportsStore: true,
			extraBody: { x: 1, y: 2, z: 2 },
			openRouterRouting: { only: ["a"], order: ["b"] },
		});
	});
});

describe("keys", () => {
	test("the value of apiKey is a variable's name, else the key itself", () => {
		expect(registryOf({ mine }, { MINE_KEY: "from-variable" }).apiKey("mine")).toBe("from-variable");
		expect(registryOf({ mine }).apiKey("mine")).toBe("MINE_KEY");
		expect(registryOf({ mine }, { MINE_KEY: "" }).apiKey("mine")).toBe("MINE_KEY");
	});

	test("the command line wins over the variable, the variable over the file", () => {
		const registry = registryOf(
			{ anthropic: { ...mine, apiKey: "from-file" } },
			{ ANTHROPIC_API_KEY: "from-variable" },
		);
		expect(registryOf({ anthropic: { ...mine, apiKey: "from-file" } }).apiKey("anthropic")).toBe("from-file");
		expect(registry.apiKey("anthropic")).toBe("from-variable");
		registry.setRuntimeKey(claude, "from-command-line");
		expect(registry.apiKey("anthropic")).toBe("from-command-line");
		expect(registry.apiKey("openai")).toBeUndefined();
	});

	test("authHeader sends the key as a bearer token too", () => {
		const env = { MINE_KEY: "from-variable" };
		expect(registryOf({ mine }, env).requestHeaders("mine")).toEqual({});
		expect(registryOf({ mine: { ...mine, authHeader: true } }, env).requestHeaders("mine")).toEqual({
			authorization: "Bearer from-variable",
		});
		expect(registryOf({}, env).requestHeaders("unknown")).toEqual({});
	});

	test("auth: none sends no key, not even one that lies in the environment", () => {
		const config: ProviderConfig = { ...mine, auth: "none", authHeader: true };
		const registry = registryOf(
			{ anthropic: config },
			{ ANTHROPIC_API_KEY: "of-another", MINE_KEY: "unused" },
		);
		expect(registry.apiKey("anthropic")).toBeUndefined();
		expect(registry.requestHeaders("anthropic")).toEqual({});
		registry.setRuntimeKey(claude, "from-command-line");
		expect(registry.apiKey("anthropic")).toBe("from-command-line");
	});

	test("a key that was looked up is masked wherever it is written", () => {
		registryOf({ mine }, { MINE_KEY: "xyzzy-plugh-1" }).apiKey("mine");
		expect(maskSecrets("it was xyzzy-plugh-1")).not.toContain("xyzzy");
	});

	test("variables that hold keys of the file are not for what a model runs", () => {
		const env = { MINE_KEY: "secret", PATH: "/bin", HOME: "/home/me" };
		expect(registryOf({ mine }, env).withoutKeys(env)).toEqual({ PATH: "/bin", HOME: "/home/me" });
	});
});

describe("available are", () => {
	function available(configured: Record<string, ProviderConfig>, env: Env = {}): string[] {
		return [
			...new Set(
				registryOf(configured, env)
					.available()
					.map(({ provider }) => provider),
			),
		];
	}

	test("none of the catalogue without a key", () => {
		expect(available({})).toEqual([]);
	});

	test.each(providers.flatMap(({ id, keys }) => keys.map((key): [string, string] => [key, id])))(
		"with %s those of %s",
		(key, id) => {
			expect(available({}, { [key]: "key" })).toEqual([id]);
		},
	);

	test("those of the file, with a key or without the need of one", () => {
		const { apiKey: _, ...keyless } = mine;
		expect(available({ mine, free: { ...keyless, auth: "none" } })).toEqual(["mine", "free"]);
	});

	test("those that were found on this machine", () => {
		const registry = registryOf();
		registry.add({ ...claude, provider: "ollama", id: "qwen" });
		expect(registry.available().map(selector)).toEqual(["ollama/qwen"]);
	});
});
