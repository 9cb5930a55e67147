/** Published model data becomes our catalogue: what we know is taken over, what we do not know is left out. */
import { describe, expect, test } from "bun:test";

import { builtinModels, providerOf, providers, type CatalogueEntry, type Provider } from "@tau/ai";

import { convert, sourceOf, type SourceFile } from "./catalogue-convert.ts";
import defaults from "./catalogue-defaults.json" with { type: "json" };

const facts = {
	name: "A",
	api: "openai-completions",
	baseUrl: "https://api.groq.com/openai/v1",
	reasoning: false,
	input: ["text"],
	cost: { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 0 },
	contextWindow: 1000,
	maxTokens: 100,
};

function row(id: string): Provider {
	const provider = providerOf(id);
	if (!provider) throw new Error(`there is no ${id}`);
	return provider;
}

function file(...models: Record<string, unknown>[]): SourceFile {
	return {
		any: Object.fromEntries(models.map((model) => [`chat:${String(model.id)}`, { ...facts, ...model }])),
	};
}

function one(more: Record<string, unknown>, provider = "groq"): CatalogueEntry | undefined {
	return convert(row(provider), file({ id: "a", ...more }), undefined)[0];
}

test("a plain model is one short line", () => {
	expect(JSON.stringify(one({}))).toBe(
		'{"provider":"groq","id":"a","name":"A","plain":true,"blind":true,"cost":[1,2,0.1,0],"contextWindow":1000,"maxTokens":100}',
	);
});

test("what it can do is taken over", () => {
	const thinkingLevelMap = { off: null, low: "low", max: "max", silly: 1 };
	const compat = { supportsStore: false, thinkingFormat: "zai", supportsTelepathy: true };
	expect(one({ reasoning: true, input: ["text", "image"], thinkingLevelMap, compat })).toEqual({
		provider: "groq",
		id: "a",
		name: "A",
		cost: [1, 2, 0.1, 0],
		contextWindow: 1000,
		maxTokens: 100,
		levels: { off: null, low: "low", max: "max" },
		compat: { supportsStore: false, thinkingFormat: "zai" },
	});
});

describe("what we do not know is left out", () => {
	test("a flag with a value that our code does not have", () => {
		expect(one({ compat: { thinkingFormat: "baseten" } })).not.toHaveProperty("compat");
	});

	test("a protocol that we do not speak", () => {
		expect(one({ api: "pi-messages" })).toBeUndefined();
	});

	test("models that are not for talking", () => {
		const source = { any: { "image:a": { ...facts, id: "a" }, "chat:b": { ...facts, id: "b" } } };
		expect(convert(row("groq"), source, undefined).map(({ id }) => id)).toEqual(["b"]);
	});

	test.each([[{ contextWindow: 0 }], [{ maxTokens: "many" }], [{ name: 7 }]])(
		"a model without sense: %p",
		(more) => {
			expect(one(more)).toBeUndefined();
		},
	);
});

test("another protocol or another place is kept, a version at its end is no other place", () => {
	expect(one({ api: "anthropic-messages" })?.api).toBe("anthropic-messages");
	expect(one({ baseUrl: "https://api.groq.com/openai" })).not.toHaveProperty("baseUrl");
	expect(one({ baseUrl: "https://other.example" })?.baseUrl).toBe("https://other.example");
	expect(
		one({ api: "google-vertex", baseUrl: "https://{location}-x.example" }, "google-vertex"),
	).not.toHaveProperty("baseUrl");
});

test("Mistral's own protocol becomes its twin at the provider's place", () => {
	const entry = one({ api: "mistral-conversations", baseUrl: "https://api.mistral.ai" }, "mistral");
	expect(entry).toBeDefined();
	expect(entry).not.toHaveProperty("api");
	expect(entry).not.toHaveProperty("baseUrl");
});

test("Code Assist has Google's models for text, in its own protocol and without a price", () => {
	const google = { api: "google-generative-ai", baseUrl: "https://generativelanguage.googleapis.com/v1beta" };
	const ids = ["gemini-2.5-flash", "gemini-flash-latest", "gemini-2.5-computer-use-preview", "gemma-4"];
	const source = file(...ids.map((id) => ({ ...google, id, reasoning: true })));
	const entries = convert(row("google-gemini-cli"), source, undefined);
	expect(entries).toEqual([expect.objectContaining({ id: "gemini-2.5-flash", cost: [0, 0, 0, 0] })]);
	expect(entries[0]).not.toHaveProperty("api");
	expect(entries[0]).not.toHaveProperty("baseUrl");
	// A correction for the maker applies here too.
	expect(entries[0]?.levels).toEqual({ off: "0" });
});

test("no model gives more than it holds, and no price has digits of arithmetic", () => {
	expect(one({ maxTokens: 5000 })?.maxTokens).toBe(1000);
	expect(one({ cost: { input: 0.1 + 0.2, output: -1 } })?.cost).toEqual([0.3, 0, 0, 0]);
});

test("the default comes first, the rest by id", () => {
	const ids = convert(row("groq"), file({ id: "c" }, { id: "a" }, { id: "b" }), "b").map(({ id }) => id);
	expect(ids).toEqual(["b", "a", "c"]);
});

test("a spark continues with its base, where there is one", () => {
	const entries = convert(row("groq"), file({ id: "x-spark" }, { id: "x" }, { id: "y-spark" }), undefined);
	expect(entries.map(({ id, promotion }) => [id, promotion])).toEqual([
		["x", undefined],
		["x-spark", "groq/x"],
		["y-spark", undefined],
	]);
});

test("every default is of a provider of the table", () => {
	const known = new Set(providers.map(({ id }) => id));
	expect(Object.keys(defaults).filter((id) => !known.has(id))).toEqual([]);
	expect(sourceOf(row("moonshot"))).toBe("moonshotai");
	expect(sourceOf(row("groq"))).toBe("groq");
});

test("what the source leaves out of the catalogue is repaired", () => {
	const compatOf = (provider: string, part: string) =>
		builtinModels(provider).find(({ id }) => id.includes(part));
	expect(compatOf("amazon-bedrock", "claude-sonnet-5-5")?.compat).toMatchObject({
		forceAdaptiveThinking: true,
	});
	expect(compatOf("amazon-bedrock", "gpt-oss-120b")?.compat).toMatchObject({ thinkingFormat: "openai" });
	expect(compatOf("amazon-bedrock", "nova-2-lite")?.compat).toMatchObject({ supportsReasoningEffort: false });
	expect(compatOf("google", "gemini-2.5-flash")?.thinkingLevelMap).toMatchObject({ off: "0" });
});

test("the prices of long requests are taken over, as far as the window reaches them", () => {
	const tier = { inputTokensAbove: 600, input: 2, output: 4, cacheRead: 0.2, cacheWrite: 0 };
	const tiers = [tier, { ...tier, inputTokensAbove: 1000 }, { ...tier, inputTokensAbove: "many" }];
	expect(one({ cost: { ...facts.cost, tiers } })?.tiers).toEqual([[600, 2, 4, 0.2, 0]]);
	expect(one({ cost: { ...facts.cost, tiers: "none" } })).not.toHaveProperty("tiers");
});

test("GitLab's models have GitLab's address, and no price per token", () => {
	const model = { api: "anthropic-messages", baseUrl: "https://api.anthropic.com", id: "claude-opus-4-6" };
	const [entry] = convert(row("gitlab-duo"), file(model, { ...model, id: "claude-next" }), undefined);
	expect(entry).toMatchObject({ provider: "gitlab-duo", id: "claude-opus-4-6", cost: [0, 0, 0, 0] });
	expect(entry).not.toHaveProperty("baseUrl");
});
