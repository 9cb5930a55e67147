/** The selected model is the requested one, else the best available, and never a silent replacement. */
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { builtinModels, providers, type Model } from "@tau/ai";
import { testModel } from "@tau/ai/testing";
import { maskSecrets, type Env, UsageError } from "@tau/utils";

import { ModelRegistry } from "./model-registry.ts";
import { selector } from "./model-resolver.ts";
import { noModelSettings, type ModelSettings } from "./model-settings.ts";
import type { ProviderConfig } from "./models-file/index.ts";
import { chooseModel } from "./choose-model.ts";

/** Port 9 refuses at once: a local server on the test machine must not decide the outcome. */
const nobody = "http://127.0.0.1:9";
const directory = mkdtempSync(join(tmpdir(), "tau-choose-"));
const noServers: Env = {
	OLLAMA_BASE_URL: nobody,
	LM_STUDIO_BASE_URL: nobody,
	LLAMA_CPP_BASE_URL: nobody,
	TAU_CONFIG_DIR: directory,
};
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const own: ProviderConfig = {
	baseUrl: "http://127.0.0.1:9/v1",
	api: "openai-completions",
	auth: "none",
	models: [{ id: "first" }, { id: "second" }],
};

const demo = { ...testModel(), provider: "tau", id: "demo", api: "tau-demo" };

function registryOf(
	env: Env,
	configured: Record<string, ProviderConfig> = {},
	settings: Partial<ModelSettings> = {},
): ModelRegistry {
	return new ModelRegistry(
		{ path: "/nowhere/models.yml", providers: new Map(Object.entries(configured)), problems: [] },
		env,
		{ settings: { ...noModelSettings, ...settings }, fallback: async () => demo },
	);
}

interface Situation {
	asked?: string;
	apiKey?: string;
	baseUrl?: string;
	env?: Env;
	configured?: Record<string, ProviderConfig>;
	provider?: string;
	models?: string[];
	settings?: Partial<ModelSettings>;
}

async function choose({
	asked: requested,
	apiKey,
	env = {},
	configured = {},
	settings = {},
	...more
}: Situation): Promise<string> {
	const all = { ...noServers, ...env };
	const request = {
		...(requested === undefined ? {} : { model: requested }),
		...(apiKey === undefined ? {} : { apiKey }),
	};
	const { model, thinking } = await chooseModel(
		{ ...request, ...more },
		registryOf(all, configured, settings),
		all,
	);
	return selector(model) + (thinking ? `:${thinking}` : "");
}

async function refusal(situation: Situation): Promise<string> {
	const answer = await choose(situation).catch((error: unknown) => error);
	if (answer instanceof UsageError) return answer.message;
	throw new Error(`nothing was refused: ${String(answer)}`);
}

function ollama(...names: string[]): Bun.Server<undefined> {
	return Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		fetch: ({ url }) =>
			url.endsWith("/api/tags")
				? Response.json({ models: names.map((name) => ({ name })) })
				: new Response("", { status: 404 }),
	});
}

function builtin(provider: string): Model {
	const model = registryOf({})
		.all()
		.find((known) => known.provider === provider);
	if (!model) throw new Error(`no built-in model of ${provider}`);
	return model;
}

describe("without --model", () => {
	test("the first provider of the table that has a key is used", async () => {
		const [first, second] = providers;
		const env = { [second?.keys[0] ?? ""]: "key-2", [providers.at(-1)?.keys[0] ?? ""]: "key-n" };
		expect(await choose({ env, configured: { mine: own } })).toStartWith(`${second?.id}/`);
		const both = { ...env, [first?.keys[0] ?? ""]: "key-1" };
		expect(await choose({ env: both, configured: { mine: own } })).toStartWith(`${first?.id}/`);
	});

	test("else the first model of models.yml", async () => {
		expect(await choose({ configured: { mine: own } })).toBe("mine/first");
	});

	test("a model of models.yml is chosen without reading those of providers without a key", async () => {
		const registry = registryOf(noServers, { mine: own });
		registry.all = () => {
			throw new Error("the whole catalogue was read");
		};
		expect(selector((await chooseModel({}, registry, noServers)).model)).toBe("mine/first");
	});

	test("else a model of a local server", async () => {
		await using server = ollama("qwen:7b", "other");
		expect(await choose({ env: { OLLAMA_BASE_URL: server.url.origin } })).toBe("ollama/qwen:7b");
		expect(await choose({ env: { OLLAMA_BASE_URL: server.url.origin }, configured: { mine: own } })).toBe(
			"mine/first",
		);
	});

	test("else the demo", async () => {
		expect(await choose({})).toBe("tau/demo");
	});

	test("a variable that has other uses makes no default", async () => {
		const env = { GITLAB_TOKEN: "glpat-1" };
		expect(await choose({ env })).toBe("tau/demo");
		expect(await choose({ env, settings: { providerOrder: ["gitlab-duo"] } })).toStartWith("gitlab-duo/");
		expect(await choose({ env, asked: "gitlab-duo/" })).toStartWith("gitlab-duo/");
	});

	test("a program without a demo reports what is missing", async () => {
		const registry = new ModelRegistry({ path: "", providers: new Map(), problems: [] }, noServers);
		expect(chooseModel({}, registry, noServers)).rejects.toThrow("No model is available. Set an API key");
	});

	test("a server without models does not prevent the demo", async () => {
		await using server = ollama();
		expect(await choose({ env: { OLLAMA_BASE_URL: server.url.origin } })).toBe("tau/demo");
	});

	test("an empty variable is not a key", async () => {
		expect(
			await choose({
				env: Object.fromEntries(providers.flatMap(({ keys }) => keys.map((key) => [key, ""]))),
			}),
		).toBe("tau/demo");
	});

	test("--api-key needs --model to know its provider", async () => {
		expect(await refusal({ apiKey: "sk-of-somebody" })).toBe(
			"--api-key needs --model, so that Tau knows which provider the key is for.",
		);
	});
});

describe("saved settings", () => {
	const env = { ANTHROPIC_API_KEY: "key" };
	const configured = { mine: own };

	test("the default role is used, with its level", async () => {
		const roles = { default: "mine/second:high" };
		expect(await choose({ env, configured, settings: { roles } })).toBe("mine/second:high");
	});

	test("an unusable default is skipped and reported", async () => {
		const settings = { roles: { default: selector(builtin("openai")) } };
		const registry = registryOf({ ...noServers, ...env }, configured, settings);
		const { model, notices } = await chooseModel({}, registry, { ...noServers, ...env });
		expect(model.provider).toBe("anthropic");
		expect(notices).toEqual([expect.stringContaining("OPENAI_API_KEY")]);
	});

	test("the first usable enabled model comes before the default", async () => {
		const settings = { roles: { default: "mine/first" }, enabledModels: ["openai/*", "*second*:low"] };
		expect(await choose({ env, configured, settings })).toBe("mine/second:low");
	});

	test("--models overrides the enabled models, and must match something", async () => {
		const settings = { enabledModels: ["mine/first"] };
		expect(await choose({ env, configured, settings, models: ["mine/*"] })).toBe("mine/first");
		expect(await choose({ env, configured, settings, models: ["mine/s*:high"] })).toBe("mine/second:high");
		expect(await refusal({ env, configured, models: ["nothing*"] })).toBe(
			'--models: No model matches "nothing*".',
		);
		const asked = "mine/first";
		expect(await refusal({ asked, env, configured, models: ["mine/*", "nosuch"] })).toContain(
			'--models: Unknown model "nosuch"',
		);
		expect(await refusal({ env, configured, models: ["openai/*"] })).toContain("OPENAI_API_KEY");
	});

	test("the order of providers decides among those with a key", async () => {
		const both = { ...env, OPENAI_API_KEY: "key" };
		expect(await choose({ env: both })).toStartWith("anthropic/");
		expect(await choose({ env: both, settings: { providerOrder: ["openai"] } })).toStartWith("openai/");
	});

	test("roles resolve to their model, through other roles, and keep the first level", async () => {
		const roles = { smol: "mine/first", plan: "pi/slow:high", slow: "omp/smol:low" };
		const settings = { roles };
		expect(await choose({ asked: "tau/smol", env, configured, settings })).toBe("mine/first");
		expect(await choose({ asked: "pi/plan", env, configured, settings })).toBe("mine/first:high");
		expect(await choose({ asked: "omp/plan:off", env, configured, settings })).toBe("mine/first:off");
	});

	test("a role that is not set gets a good guess, and in the end the default", async () => {
		const smol = await choose({ asked: "tau/smol", env });
		expect(smol).toStartWith("anthropic/");
		expect(smol).not.toBe(await choose({ env }));
		expect(await choose({ asked: "tau/commit", env })).toBe(smol);
		expect(await choose({ asked: "tau/slow", configured })).toBe("mine/first");
		expect(
			await choose({ asked: "tau/default", configured, settings: { roles: { default: "mine/second" } } }),
		).toBe("mine/second");
	});

	test("a cycle of roles is rejected", async () => {
		const settings = { roles: { smol: "tau/slow", slow: "tau/smol" } };
		expect(await refusal({ asked: "tau/smol", env, settings })).toContain("cycle");
	});

	test("a key command runs before the first request, and a failure is reported", async () => {
		const { auth: _, ...provider } = own;
		const locked = { mine: { ...provider, apiKey: "!exit 4" } };
		expect(await refusal({ asked: "mine/first", env: { PATH: process.env.PATH }, configured: locked })).toBe(
			"The key command for mine failed: it exited with 4",
		);
	});
});

describe("with --model", () => {
	const configured = { mine: own };

	test("the requested model is used, whatever else has a key", async () => {
		const env = { ANTHROPIC_API_KEY: "key" };
		expect(await choose({ asked: "mine/second", env, configured })).toBe("mine/second");
		expect(await choose({ asked: "second:high", env, configured })).toBe("mine/second:high");
		expect(await choose({ asked: "tau/demo", env })).toBe("tau/demo");
		expect(await choose({ asked: "demo", env })).toBe("tau/demo");
	});

	test("a model of a local server is found by name", async () => {
		await using server = ollama("qwen:7b", "other");
		const env = { OLLAMA_BASE_URL: server.url.origin, ANTHROPIC_API_KEY: "key" };
		expect(await choose({ asked: "ollama/qwen:7b", env })).toBe("ollama/qwen:7b");
		expect(await choose({ asked: "qwen", env })).toBe("ollama/qwen:7b");
	});

	const sold = providers.filter(({ id, keys }) => keys.length > 0 && builtinModels(id).length > 0);
	test.each(sold.map(({ id, keys }): [string, readonly string[]] => [id, keys]))(
		"%s without a key is rejected, and %p is named",
		async (provider, variables) => {
			const requested = selector(builtin(provider));
			const message = await refusal({ asked: requested });
			expect(message).toStartWith(`No key for ${requested}. Set `);
			for (const variable of variables) expect(message).toContain(variable);
			expect(message).toEndWith(", or pass --api-key.");
		},
	);

	test("a provider with login only says how to log in", async () => {
		const requested = selector(builtin("openai-codex"));
		expect(await refusal({ asked: requested })).toBe(
			`No key for ${requested}. Run tau login openai-codex, or pass --api-key.`,
		);
	});

	test("a key without a base URL reports what else is missing", async () => {
		const requested = selector(builtin("azure-openai"));
		expect(await refusal({ asked: requested, env: { AZURE_OPENAI_API_KEY: "key-of-azure" } })).toBe(
			`${requested} is not available. Set AZURE_OPENAI_RESOURCE_NAME or AZURE_OPENAI_BASE_URL.`,
		);
	});

	test("a disabled provider is not used, and reported as disabled", async () => {
		const requested = selector(builtin("groq"));
		const message = await refusal({
			asked: requested,
			env: { GROQ_API_KEY: "key" },
			settings: { disabledProviders: ["groq"] },
		});
		expect(message).toBe("groq is disabled. Remove it from disabledProviders in config.yml.");
	});

	test("--provider selects the provider, with a model or without", async () => {
		const env = { GROQ_API_KEY: "key", CEREBRAS_API_KEY: "key" };
		const groq = builtin("groq");
		expect(await choose({ provider: "groq", asked: groq.id, env })).toBe(selector(groq));
		expect(await choose({ provider: "groq", asked: selector(groq), env })).toBe(selector(groq));
		expect(await choose({ provider: "groq", env })).toBe(selector(groq));
		expect(await refusal({ provider: "nobody", env })).toContain("No known models for nobody");
	});

	test("the official name of a model selects an available provider, in the user's order", async () => {
		const requested = builtin("anthropic").id;
		const env = { OPENROUTER_API_KEY: "key", COPILOT_GITHUB_TOKEN: "key" };
		expect(await choose({ asked: requested, env })).toStartWith("github-copilot/");
		expect(await choose({ asked: requested, env, settings: { providerOrder: ["openrouter"] } })).toStartWith(
			"openrouter/",
		);
		expect(await choose({ asked: `${requested}:low`, env: { ...env, ANTHROPIC_API_KEY: "key" } })).toBe(
			`anthropic/${requested}:low`,
		);
	});

	test("a provider that lists its models has newer ones than the catalog", async () => {
		await using server = Bun.serve({
			port: 0,
			hostname: "127.0.0.1",
			fetch: (request) =>
				request.headers.get("authorization") === "Bearer key-of-groq"
					? Response.json({ data: [{ id: "newer-than-tau", context_length: 4242 }] })
					: new Response("", { status: 401 }),
		});
		const situation = {
			env: { GROQ_API_KEY: "key-of-groq" },
			configured: { groq: { baseUrl: `${server.url.origin}/openai/v1` } },
		};
		expect(await choose({ asked: "groq/newer-than-tau", ...situation })).toBe("groq/newer-than-tau");
		expect(await refusal({ asked: "groq/newer-than-tao", ...situation })).toContain("groq/newer-than-tau");
	});

	test("a name with its provider never matches another version, nor another provider's model", async () => {
		const env = { ...noServers, ANTHROPIC_API_KEY: "sk-ant-test", OPENROUTER_API_KEY: "sk-or-test" };
		const [newest] = builtinModels("anthropic");
		if (!newest) throw new Error("no such models");
		const family = newest.id.replace(/[-.]?\d+(?:[-.]\d+)*$/, "");
		const message = await refusal({ env, asked: `anthropic/${family}` });
		expect(message).toStartWith(`Unknown model "anthropic/${family}". Did you mean anthropic/`);
	});

	test("an unknown model lists similar ones, and nothing is used instead", async () => {
		const message = await refusal({ asked: "mine/frist", env: { ANTHROPIC_API_KEY: "key" }, configured });
		expect(message).toBe('Unknown model "mine/frist". Did you mean mine/first?');
	});

	test("an unknown model of a local server lists similar ones too", async () => {
		await using server = ollama("qwen:7b");
		const env = { OLLAMA_BASE_URL: server.url.origin };
		expect(await refusal({ asked: "ollama/qwen:8b", env })).toContain("Did you mean ollama/qwen:7b");
	});

	test("--api-key overrides the environment, is used for that provider only, and is masked", async () => {
		const env = { ANTHROPIC_API_KEY: "key-from-env", OPENAI_API_KEY: "other-from-env" };
		const registry = registryOf(env);
		const model = selector(builtin("anthropic"));
		await chooseModel({ model, apiKey: "key-of-this-run" }, registry, env);
		expect(registry.apiKey("anthropic")).toBe("key-of-this-run");
		expect(registry.apiKey("openai")).toBe("other-from-env");
		expect(maskSecrets("sent key-of-this-run")).not.toContain("key-of-this-run");
		expect(env).toEqual({ ANTHROPIC_API_KEY: "key-from-env", OPENAI_API_KEY: "other-from-env" });
	});

	test("--base-url is the address of all models of that provider, and of no other", async () => {
		const env = { ANTHROPIC_API_KEY: "key" };
		const registry = registryOf(env, { mine: own });
		const requested = selector(builtin("anthropic"));
		const { model } = await chooseModel({ model: requested, baseUrl: `${nobody}/proxy/` }, registry, env);
		expect(model).toMatchObject({ provider: "anthropic", baseUrl: `${nobody}/proxy` });
		expect(new Set(registry.of("anthropic").map(({ baseUrl }) => baseUrl))).toEqual(
			new Set([`${nobody}/proxy`]),
		);
		expect(registry.find("mine/first")?.baseUrl).toBe(`${nobody}/v1`);
		expect(await refusal({ baseUrl: nobody })).toBe(
			"--base-url needs --model, so that Tau knows which provider the address is for.",
		);
		expect(await refusal({ asked: "mine/first", baseUrl: "localhost:1", configured: { mine: own } })).toBe(
			"--base-url must be an address such as https://example.com/v1, not localhost:1.",
		);
	});

	test("--api-key makes a model available that has no other key", async () => {
		const requested = selector(builtin("anthropic"));
		expect(await choose({ asked: requested, apiKey: "key-of-this-run" })).toBe(requested);
	});
});
