/** The built-in models are complete: each can be used, priced and chosen. */
import { expect, test } from "bun:test";

import { wireApis } from "../types.ts";
import { takesAudio } from "../wire/media.ts";
import { builtinModels, catalogueOrigin } from "./catalogue.ts";
import { compatFlags } from "./compat-flags.ts";
import { providers } from "./table.ts";

const models = builtinModels();

test("every model occurs once, under a provider of the table", () => {
	const names = models.map((model) => `${model.provider}/${model.id}`);
	expect(names.length).toBeGreaterThan(1000);
	expect(new Set(names).size).toBe(names.length);
	const ids = new Set(providers.map(({ id }) => id));
	expect([...new Set(models.map(({ provider }) => provider))].filter((id) => !ids.has(id))).toEqual([]);
});

test("the models of one provider are a subset of all models", () => {
	for (const { id } of providers) {
		expect(builtinModels(id)).toEqual(models.filter(({ provider }) => provider === id));
	}
	expect(builtinModels("nobody")).toEqual([]);
	expect(builtinModels("anthrop")).toEqual([]);
});

test("a provider without models can list its own", () => {
	const with_ = new Set(models.map(({ provider }) => provider));
	const without = providers.filter(({ id, discovery }) => !with_.has(id) && discovery === undefined);
	expect(without.map(({ id }) => id)).toEqual([]);
});

test("every model has an address, a protocol, and valid sizes and prices", () => {
	for (const model of models) {
		const name = `${model.provider}/${model.id}`;
		expect([name, wireApis.some((api) => api === model.api)]).toEqual([name, true]);
		expect(model.baseUrl).toStartWith("https://");
		expect(model.name.trim()).toBe(model.name);
		expect(model.name).not.toBe("");
		expect(model.input).toContain("text");
		expect(model.contextWindow).toBeGreaterThanOrEqual(4000);
		expect(model.maxTokens).toBeGreaterThan(0);
		expect(model.maxTokens).toBeLessThanOrEqual(model.contextWindow);
		const { input, output, cacheRead, cacheWrite } = model.cost;
		for (const price of [input, output, cacheRead, cacheWrite]) expect(price).toBeGreaterThanOrEqual(0);
		expect(output).toBeGreaterThanOrEqual(input);
		expect(cacheRead).toBeLessThanOrEqual(input);
		for (const flag of Object.keys(model.compat ?? {})) expect(Object.keys(compatFlags)).toContain(flag);
	}
});

test("a model that takes audio has a protocol that carries it", () => {
	const hearing = models.filter(({ input }) => input.includes("audio"));
	expect(hearing.filter((model) => !takesAudio(model))).toEqual([]);
	expect([...new Set(hearing.map(({ provider }) => provider))]).toContain("google");
	expect(hearing.map(({ provider }) => provider)).not.toContain("anthropic");
});

test("a model that thinks has a level that can be requested", () => {
	const mute = models.filter(({ reasoning, thinkingLevelMap: map }) => {
		const levels = ["minimal", "low", "medium", "high"] as const;
		return reasoning && map && !map.xhigh && !map.max && levels.every((level) => map[level] === null);
	});
	expect(mute.map(({ provider, id }) => `${provider}/${id}`)).toEqual([]);
});

test("a model that is promoted on overflow has a larger context there", () => {
	const promoted = models.filter(({ contextPromotionTarget: target }) => target !== undefined);
	expect(promoted.length).toBeGreaterThan(0);
	for (const { id, contextWindow, contextPromotionTarget: target } of promoted) {
		const larger = models.find((model) => `${model.provider}/${model.id}` === target);
		expect(id).toEndWith("-spark");
		expect(larger?.contextWindow).toBeGreaterThan(contextWindow);
	}
});

test("the data states its date and its sources", () => {
	const { date, source, version } = catalogueOrigin();
	expect(date).toMatch(/^20\d\d-\d\d-\d\d$/);
	expect(source).toBe("@earendil-works/pi-ai");
	expect(version).toMatch(/^\d+\.\d+\.\d+/);
});
