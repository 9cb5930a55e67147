/** The model that answers is the one that was asked for, else the best that can be used, and never a silent other. */
import { describe, expect, test } from "bun:test";

import { knownApis, providers, type Model } from "@tau/ai";
import { maskSecrets, type Env } from "@tau/utils";

import { ModelRegistry } from "../config/model-registry.ts";
import { selector } from "../config/model-resolver.ts";
import type { ProviderConfig } from "../config/models-file/index.ts";
import { UsageError } from "./args.ts";
import { chooseModel } from "./choose-model.ts";

/** Port 9 refuses at once: no server of the person who runs the tests decides how they end. */
const nobody = "http://127.0.0.1:9";
const noServers: Env = { OLLAMA_BASE_URL: nobody, LM_STUDIO_BASE_URL: nobody, LLAMA_CPP_BASE_URL: nobody };

const own: ProviderConfig = {
	baseUrl: "http://127.0.0.1:9/v1",
	api: "openai-completions",
	auth: "none",
	models: [{ id: "first" }, { id: "second" }],
};

function registryOf(env: Env, configured: Record<string, ProviderConfig> = {}): ModelRegistry {
	return new ModelRegistry(
		{ path: "/nowhere/models.yml", providers: new Map(Object.entries(configured)), problems: [] },
		env,
	);
}

interface Situation {
	asked?: string;
	apiKey?: string;
	env?: Env;
	configured?: Record<string, ProviderConfig>;
}

async function choose({ asked, apiKey, env = {}, configured = {} }: Situation): Promise<string> {
	const all = { ...noServers, ...env };
	const { model, thinking } = await chooseModel(asked, apiKey, registryOf(all, configured), all);
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
	test("the first provider of the table that has a key answers", async () => {
		const [first, second] = providers;
		const env = { [second?.keys[0] ?? ""]: "key-2", [providers.at(-1)?.keys[0] ?? ""]: "key-n" };
		expect(await choose({ env, configured: { mine: own } })).toStartWith(`${second?.id}/`);
		const both = { ...env, [first?.keys[0] ?? ""]: "key-1" };
		expect(await choose({ env: both, configured: { mine: own } })).toStartWith(`${first?.id}/`);
	});

	test("else the first model of models.yml", async () => {
		expect(await choose({ configured: { mine: own } })).toBe("mine/first");
	});

	test("else what a server on this machine offers", async () => {
		await using server = ollama("qwen:7b", "other");
		expect(await choose({ env: { OLLAMA_BASE_URL: server.url.origin } })).toBe("ollama/qwen:7b");
		expect(await choose({ env: { OLLAMA_BASE_URL: server.url.origin }, configured: { mine: own } })).toBe(
			"mine/first",
		);
	});

	test("else the demo, ready to be asked", async () => {
		expect(await choose({})).toBe("tau/demo");
		expect(knownApis()).toContain("tau-demo");
	});

	test("a server without models is no reason to do without the demo", async () => {
		await using server = ollama();
		expect(await choose({ env: { OLLAMA_BASE_URL: server.url.origin } })).toBe("tau/demo");
	});

	test("a variable that is empty is no key", async () => {
		expect(
			await choose({
				env: Object.fromEntries(providers.flatMap(({ keys }) => keys.map((key) => [key, ""]))),
			}),
		).toBe("tau/demo");
	});

	test("--api-key alone does not say whose key it is", async () => {
		expect(await refusal({ apiKey: "sk-of-somebody" })).toBe(
			"--api-key needs --model, to know whose key it is.",
		);
	});
});

describe("with --model", () => {
	const configured = { mine: own };

	test("what was asked for answers, whatever else has a key", async () => {
		const env = { ANTHROPIC_API_KEY: "key" };
		expect(await choose({ asked: "mine/second", env, configured })).toBe("mine/second");
		expect(await choose({ asked: "second:high", env, configured })).toBe("mine/second:high");
		expect(await choose({ asked: "tau/demo", env })).toBe("tau/demo");
		expect(await choose({ asked: "demo", env })).toBe("tau/demo");
	});

	test("a model of a server on this machine is found by name", async () => {
		await using server = ollama("qwen:7b", "other");
		const env = { OLLAMA_BASE_URL: server.url.origin, ANTHROPIC_API_KEY: "key" };
		expect(await choose({ asked: "ollama/qwen:7b", env })).toBe("ollama/qwen:7b");
		expect(await choose({ asked: "qwen", env })).toBe("ollama/qwen:7b");
	});

	test.each(providers.map(({ id, keys }): [string, string] => [id, keys[0] ?? ""]))(
		"%s without a key is refused, and %s is named",
		async (provider, variable) => {
			const asked = selector(builtin(provider));
			expect(await refusal({ asked })).toBe(`No key for ${asked}. Set ${variable}, or pass --api-key.`);
		},
	);

	test("an unknown model lists near ones, and nothing answers in its place", async () => {
		const message = await refusal({ asked: "mine/frist", env: { ANTHROPIC_API_KEY: "key" }, configured });
		expect(message).toBe('Unknown model "mine/frist". Did you mean mine/first?');
	});

	test("an unknown model of a local server lists near ones too", async () => {
		await using server = ollama("qwen:7b");
		const env = { OLLAMA_BASE_URL: server.url.origin };
		expect(await refusal({ asked: "ollama/qwen:8b", env })).toContain("Did you mean ollama/qwen:7b");
	});

	test("--api-key wins over the environment, is for that provider alone, and is masked", async () => {
		const env = { ANTHROPIC_API_KEY: "key-from-env", OPENAI_API_KEY: "other-from-env" };
		const registry = registryOf(env);
		await chooseModel(selector(builtin("anthropic")), "key-of-this-run", registry, env);
		expect(registry.apiKey("anthropic")).toBe("key-of-this-run");
		expect(registry.apiKey("openai")).toBe("other-from-env");
		expect(maskSecrets("sent key-of-this-run")).not.toContain("key-of-this-run");
		expect(env).toEqual({ ANTHROPIC_API_KEY: "key-from-env", OPENAI_API_KEY: "other-from-env" });
	});

	test("--api-key makes a model usable that has no other key", async () => {
		const asked = selector(builtin("anthropic"));
		expect(await choose({ asked, apiKey: "key-of-this-run" })).toBe(asked);
	});
});
