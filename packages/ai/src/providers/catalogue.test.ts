/** The built-in models are complete: each can be asked, priced and chosen. */
import { expect, test } from "bun:test";

import catalogue from "../data/models.json" with { type: "json" };
import { knownApis } from "../stream.ts";
import { builtinModels } from "./catalogue.ts";
import { providers } from "./table.ts";

const models = builtinModels();

test("every model of the data file is there once, and every provider has models", () => {
	const names = models.map((model) => `${model.provider}/${model.id}`);
	expect(new Set(names).size).toBe(names.length);
	expect(names.toSorted()).toEqual(
		catalogue.models.map((model) => `${model.provider}/${model.id}`).toSorted(),
	);
	expect(new Set(models.map((model) => model.provider))).toEqual(new Set(providers.map(({ id }) => id)));
});

test.each(models.map((model) => [`${model.provider}/${model.id}`, model] as const))(
	"%s has a place, a protocol, sizes and prices that make sense",
	(_name, model) => {
		const provider = providers.find(({ id }) => id === model.provider);
		expect(model).toMatchObject({ api: provider?.api, baseUrl: provider?.baseUrl });
		expect(model.name.trim()).not.toBe("");
		expect(model.input).toContain("text");
		expect(model.contextWindow).toBeGreaterThanOrEqual(8000);
		expect(model.maxTokens).toBeGreaterThan(0);
		expect(model.maxTokens).toBeLessThanOrEqual(model.contextWindow);
		const { input, output, cacheRead, cacheWrite } = model.cost;
		for (const price of [input, output, cacheRead, cacheWrite]) expect(price).toBeGreaterThanOrEqual(0);
		expect(output).toBeGreaterThanOrEqual(input);
		expect(cacheRead).toBeLessThanOrEqual(input);
	},
);

test.each(providers.map((provider) => [provider.id, provider] as const))(
	"%s can be reached",
	(_id, provider) => {
		expect(knownApis()).toContain(provider.api);
		const url = new URL(provider.baseUrl);
		expect(url.protocol).toBe("https:");
		expect(provider.baseUrl).not.toEndWith("/");
		expect(provider.keys.length).toBeGreaterThan(0);
		for (const key of provider.keys) expect(key).toMatch(/^[A-Z][A-Z0-9_]*_API_KEY$/);
	},
);

test("the ids of the providers are unique", () => {
	expect(new Set(providers.map(({ id }) => id)).size).toBe(providers.length);
});
