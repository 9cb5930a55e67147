/** Models and keys come from the catalog, the file, the environment and the command line in a fixed order. */
import { describe, expect, test } from "bun:test";

import { builtinModels, providers, type Model } from "@tau/ai";
import { maskSecrets, type Env } from "@tau/utils";

import { limits } from "./limits.ts";
import { ModelRegistry } from "./model-registry.ts";
import { noModelSettings } from "./model-settings.ts";
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

test("without a file the catalog is used", () => {
	expect(registryOf().all()).toEqual(builtinModels());
	expect(registryOf().modelsFile).toBe("/home/me/.tau/agent/models.yml");
});

describe("a built-in provider", () => {
	test("can be redirected with all its models, and only its own", () => {
		const registry = registryOf({
			openrouter: { baseUrl: "https://proxy.example/v1", headers: { "X-Team": "p" } },
		});
		for (const model of registry.all().filter(({ provider }) => provider === "openrouter")) {
			expect(model).toMatchObject({ baseUrl: "https://proxy.example/v1", headers: { "X-Team": "p" } });
		}
		expect(find(registry, selector(claude))).toEqual(claude);
	});

	test("keeps its base URL when only headers are set", () => {
		const registry = registryOf({ anthropic: { headers: { "X-Team": "p" }, modelOverrides: {} } });
		expect(find(registry, selector(claude))).toEqual({ ...claude, headers: { "X-Team": "p" } });
	});

	test("supplies base URL and protocol of a model in the file", () => {
		const registry = registryOf({ anthropic: { models: [{ id: "brand-new" }] } });
		expect(find(registry, "anthropic/brand-new")).toMatchObject({ api: claude.api, baseUrl: claude.baseUrl });
	});

	test("has flags for all its models, and a promotion target for one", () => {
		const compat = { parallelTools: false };
		const config = {
			compat,
			modelOverrides: { [claude.id]: { contextPromotionTarget: "anthropic/larger" } },
		};
		const registry = registryOf({ anthropic: config });
		for (const model of registry.of("anthropic")) expect(model.compat).toMatchObject(compat);
		expect(find(registry, selector(claude)).contextPromotionTarget).toBe("anthropic/larger");
	});

	test("can have overrides for single models, applied over the provider's headers", () => {
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
			compat: { ...routed.compat, sendMaxTokens: true },
			reasoning: true,
			headers: { "X-Team": "model", "X-All": "1", "X-More": "1" },
		});
	});

	test("merges compat with its own flags, nested blocks too", () => {
		const model = firstOf("openai");
		const once = { compat: { openRouterRouting: { only: ["a"] }, extraBody: { x: 1 } } };
		const corrected = find(registryOf({ openai: { modelOverrides: { [model.id]: once } } }), selector(model));
		expect(corrected.compat).toEqual({ ...model.compat, ...once.compat });
	});

	test("accepts a model of the file, which replaces one of the same id", () => {
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
	test("has models with sensible defaults, found before the catalog", () => {
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

	test("has models that set more, override its headers and choose their protocol", () => {
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

	test("applies overrides to its own models, with compat merged block by block", () => {
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
			sendMaxTokens: true,
			extraBody: { x: 1, y: 2, z: 2 },
			openRouterRouting: { only: ["a"], order: ["b"] },
		});
	});
});

describe("a model is found", () => {
	const registry = registryOf({ Mine: mine });

	test("by provider and id, ignoring case", () => {
		expect(registry.find(selector(claude))).toEqual(claude);
		expect(registry.find(selector(claude).toUpperCase())).toEqual(claude);
		expect(registry.find(selector(routed))).toEqual(routed);
		expect(registry.find("mine/A")?.provider).toBe("Mine");
	});

	test("by the name that another program uses for its provider", () => {
		const moon = firstOf("moonshot");
		expect(registry.find(`moonshotai/${moon.id}`)).toEqual(moon);
	});

	test("or is undefined", () => {
		for (const name of [claude.id, "anthropic/", "/", "", "nobody/x", `groq/${claude.id}`]) {
			expect(registry.find(name)).toBeUndefined();
		}
	});
});

describe("the environment redirects a built-in provider", () => {
	test("with all its models", () => {
		const env = { ANTHROPIC_BASE_URL: "https://gate.example", ANTHROPIC_CUSTOM_HEADERS: "x-team: p" };
		for (const model of registryOf({}, env).of("anthropic")) {
			expect(model).toMatchObject({ baseUrl: "https://gate.example", headers: { "x-team": "p" } });
		}
	});

	test("unless the file sets the base URL", () => {
		const registry = registryOf(
			{ anthropic: { baseUrl: "https://file.example" } },
			{ ANTHROPIC_BASE_URL: "https://env.example" },
		);
		expect(registry.find(selector(claude))?.baseUrl).toBe("https://file.example");
	});

	test("and fills placeholders of a base URL", () => {
		const env = { CLOUDFLARE_ACCOUNT_ID: "acc", CLOUDFLARE_GATEWAY_ID: "gate" };
		const urls = registryOf({}, env)
			.of("cloudflare-ai-gateway")
			.map(({ baseUrl }) => baseUrl);
		expect(new Set(urls)).toEqual(
			new Set(
				["anthropic", "compat", "openai"].map(
					(end) => `https://gateway.ai.cloudflare.com/v1/acc/gate/${end}`,
				),
			),
		);
	});
});

describe("keys", () => {
	test("the origin of a key is named, and never the key", () => {
		expect(registryOf({ mine }, { MINE_KEY: "from-variable" }).keyOrigin("mine")).toBe("MINE_KEY");
		expect(registryOf({ mine }).keyOrigin("mine")).toBe("models.yml");
		const anthropic = { ...mine, apiKey: "sk-secret" };
		expect(registryOf({ anthropic }).keyOrigin("anthropic")).toBe("models.yml");
		const registry = registryOf({ anthropic }, { ANTHROPIC_API_KEY: "from-variable" });
		expect(registry.keyOrigin("anthropic")).toBe("ANTHROPIC_API_KEY");
		expect(registry.keyOrigin("openai")).toBeUndefined();
	});

	test("the value of apiKey is a variable's name, else the key itself", () => {
		expect(registryOf({ mine }, { MINE_KEY: "from-variable" }).apiKey("mine")).toBe("from-variable");
		expect(registryOf({ mine }).apiKey("mine")).toBe("MINE_KEY");
		expect(registryOf({ mine }, { MINE_KEY: "" }).apiKey("mine")).toBe("MINE_KEY");
	});

	test("the command line overrides the variable, the variable the file", () => {
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
		const model = { ...claude, provider: "mine" };
		expect(registryOf({ mine }, env).credentials(model)).toEqual({ apiKey: "from-variable", headers: {} });
		expect(registryOf({ mine: { ...mine, authHeader: true } }, env).credentials(model)).toEqual({
			apiKey: "from-variable",
			headers: { authorization: "Bearer from-variable" },
		});
		expect(registryOf({}, env).credentials({ ...claude, provider: "unknown" })).toEqual({ headers: {} });
	});

	test("a provider with bearer tokens gets nothing else", () => {
		const registry = registryOf({}, { OPENROUTER_API_KEY: "routed-key" });
		const bearer = { headers: { authorization: "Bearer routed-key" } };
		expect(registry.credentials(routed)).toEqual(bearer);
		expect(registryOf().credentials(routed, "routed-key")).toEqual(bearer);
	});

	test("the key of a gateway is a bearer token, the maker's own is not", () => {
		const env = { ANTHROPIC_FOUNDRY_API_KEY: "foundry-key", ANTHROPIC_API_KEY: "makers-key" };
		expect(registryOf({}, env).credentials(claude)).toEqual({ apiKey: "makers-key", headers: {} });
		expect(registryOf({}, { ...env, CLAUDE_CODE_USE_FOUNDRY: "1" }).credentials(claude)).toEqual({
			headers: { authorization: "Bearer foundry-key" },
		});
	});

	describe("of a command", () => {
		const command = (text: string): ProviderConfig => ({ ...mine, apiKey: `!${text}` });

		test("it runs when it is needed, and its output is the key", async () => {
			const registry = registryOf(
				{ mine: command("printf '  secret-of-%s \\n' $WHO") },
				{ ...process.env, WHO: "me" },
			);
			expect(registry.isAvailable({ ...claude, provider: "mine" })).toBe(true);
			expect(registry.apiKey("mine")).toBeUndefined();
			expect(await registry.unlock("mine")).toBeUndefined();
			expect(registry.apiKey("mine")).toBe("secret-of-me");
			expect(maskSecrets("it is secret-of-me")).not.toContain("secret-of-me");
		});

		test("a failure is reported without its output", async () => {
			const registry = registryOf({ mine: command("echo half-a-secret; exit 3") }, process.env);
			const problem = await registry.unlock("mine");
			expect(problem).toBe("The key command for mine failed: it exited with 3");
			expect(registry.apiKey("mine")).toBeUndefined();
		});

		test("it does not run if a stronger source has a key", async () => {
			const registry = registryOf(
				{ anthropic: command("exit 1") },
				{ ...process.env, ANTHROPIC_API_KEY: "from-variable" },
			);
			expect(await registry.unlock("anthropic")).toBeUndefined();
			expect(registry.apiKey("anthropic")).toBe("from-variable");
		});
	});

	test("auth: none sends no key, not even one in the environment", () => {
		const config: ProviderConfig = { ...mine, auth: "none", authHeader: true };
		const registry = registryOf(
			{ anthropic: config },
			{ ANTHROPIC_API_KEY: "of-another", MINE_KEY: "unused" },
		);
		expect(registry.apiKey("anthropic")).toBeUndefined();
		expect(registry.credentials(claude)).toEqual({ headers: {} });
		registry.setRuntimeKey(claude, "from-command-line");
		expect(registry.apiKey("anthropic")).toBe("from-command-line");
	});

	test("a key that was resolved is masked wherever it is written", () => {
		registryOf({ mine }, { MINE_KEY: "xyzzy-plugh-1" }).apiKey("mine");
		expect(maskSecrets("it was xyzzy-plugh-1")).not.toContain("xyzzy");
	});

	test("variables with keys of the file are hidden from the model's commands", () => {
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

	test("none of the catalog without a key", () => {
		expect(available({})).toEqual([]);
	});

	const complete = providers.filter(
		({ id, baseUrl }) => !baseUrl.includes("{") && builtinModels(id).length > 0,
	);
	test.each([...new Set(complete.flatMap(({ keys }) => keys))])("with %s those of its providers", (key) => {
		const opened = complete.filter(({ keys }) => keys.includes(key)).map(({ id }) => id);
		expect(available({}, { [key]: "key" })).toEqual(opened);
	});

	test("those whose base URL the environment completes, and no others", () => {
		const key = { CLOUDFLARE_API_KEY: "key" };
		expect(available({}, key)).toEqual([]);
		expect(available({}, { ...key, CLOUDFLARE_ACCOUNT_ID: "me" })).toEqual(["cloudflare-workers-ai"]);
	});

	test("those of a cloud with its own sign-in", () => {
		expect(available({}, { AWS_PROFILE: "work" })).toEqual(["amazon-bedrock"]);
		expect(available({}, { GOOGLE_CLOUD_PROJECT: "p", GOOGLE_CLOUD_LOCATION: "eu" })).toEqual([
			"google-vertex",
		]);
	});

	test("those with a stored credential", () => {
		const registry = new ModelRegistry(
			{ path: "", providers: new Map(), problems: [] },
			{},
			{
				isStored: (provider) => provider === "openai-codex",
			},
		);
		expect(new Set(registry.available().map(({ provider }) => provider))).toEqual(new Set(["openai-codex"]));
	});

	test("none of a disabled provider", () => {
		const settings = { ...noModelSettings, disabledProviders: ["groq"] };
		const file = { path: "", providers: new Map(), problems: [] };
		const registry = new ModelRegistry(file, { GROQ_API_KEY: "k", CEREBRAS_API_KEY: "k" }, { settings });
		expect(registry.available().some(({ provider }) => provider === "groq")).toBe(false);
		expect(registry.all().some(({ provider }) => provider === "groq")).toBe(false);
		expect(registry.of("groq")).toEqual([]);
		expect(registry.available().some(({ provider }) => provider === "cerebras")).toBe(true);
	});

	test("the missing variable is named", () => {
		expect(registryOf().whyNot("groq")).toBe("GROQ_API_KEY");
		expect(registryOf({ groq: { apiKey: "literal" } }).whyNot("groq")).toBeUndefined();
		expect(registryOf({ mine: { baseUrl: "https://mine.example" } }).whyNot("mine")).toBe(
			"an apiKey in models.yml",
		);
	});

	test("those of the file with a key, or that need none", () => {
		const { apiKey: _, ...keyless } = mine;
		expect(available({ mine, free: { ...keyless, auth: "none" } })).toEqual(["mine", "free"]);
	});

	test("a discovered model does not replace a known one, and overrides apply to it", () => {
		const registry = registryOf({ ollama: { modelOverrides: { qwen: { contextWindow: 7 } } } });
		registry.add({ ...claude, name: "Other" }, { ...claude, provider: "ollama", id: "qwen" });
		expect(find(registry, selector(claude))).toEqual(claude);
		expect(find(registry, "ollama/qwen").contextWindow).toBe(7);
	});

	test("those discovered on this machine", () => {
		const registry = registryOf();
		registry.add({ ...claude, provider: "ollama", id: "qwen" });
		expect(registry.available().map(selector)).toEqual(["ollama/qwen"]);
	});
});
