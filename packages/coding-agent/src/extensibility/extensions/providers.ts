/** Providers that extensions bring: their models, their keys, and their own ways to answer. */
import { registerApi, type Api, type Model } from "@tau/ai";
import { env } from "@tau/utils";

import { limits as configLimits } from "../../config/limits.ts";
import type { ModelRegistry } from "../../config/model-registry.ts";
import type { ExtensionProvider, ProviderModelConfig } from "./types.ts";

/** Ways to answer that are registered, by registry and provider. */
const streams = new WeakMap<ModelRegistry, Map<string, Disposable>>();
/** What was said so far: what a later call leaves out stays. */
const configs = new WeakMap<ModelRegistry, Map<string, ExtensionProvider>>();

export function registerProvider(registry: ModelRegistry, name: string, more: ExtensionProvider): void {
	const config = { ...of(configs, registry).get(name), ...more };
	check(name, config);
	of(configs, registry).set(name, config);
	of(streams, registry).get(name)?.[Symbol.dispose]();
	const api = config.streamSimple ? ownApi(registry, name, config) : config.api;
	const { baseUrl, apiKey, authHeader, models } = config;
	const headers = resolved(config.headers);
	registry.provide(name, {
		config: {
			...(baseUrl === undefined ? {} : { baseUrl }),
			...(apiKey === undefined ? {} : { apiKey }),
			...(headers ? { headers } : {}),
			...(authHeader === undefined ? {} : { authHeader }),
			// Whoever answers in a way of its own knows what it needs.
			...(config.streamSimple && apiKey === undefined ? { auth: "none" as const } : {}),
		},
		...(models ? { models: models.map((model) => modelOf(name, config, model, api)) } : {}),
	});
}

export function unregisterProvider(registry: ModelRegistry, name: string): void {
	of(streams, registry).get(name)?.[Symbol.dispose]();
	of(streams, registry).delete(name);
	if (of(configs, registry).delete(name)) registry.provide(name, undefined);
}

function check(name: string, { models = [], api, streamSimple, baseUrl }: ExtensionProvider): void {
	for (const model of models) {
		if (typeof model.id !== "string" || model.id === "")
			throw new TypeError(`A model of the provider ${name} has no id.`);
		if (!streamSimple && (model.api ?? api) === undefined)
			throw new TypeError(`The model ${name}/${model.id} needs an api, its own or that of the provider.`);
		if (!streamSimple && (model.baseUrl ?? baseUrl) === undefined)
			throw new TypeError(`The model ${name}/${model.id} needs a baseUrl, its own or that of the provider.`);
	}
}

/** Under a name of its own, so that other providers of the same protocol go on as before. */
function ownApi(registry: ModelRegistry, name: string, { streamSimple, api }: ExtensionProvider): Api {
	const own: Api = `extension:${name}`;
	if (!streamSimple) return own;
	const registered = registerApi(own, (model, context, options) =>
		streamSimple({ ...model, api: api ?? model.api }, context, options),
	);
	of(streams, registry).set(name, registered);
	return own;
}

function modelOf(
	provider: string,
	config: ExtensionProvider,
	model: ProviderModelConfig,
	api: Api | undefined,
): Model {
	const headers = { ...resolved(config.headers), ...resolved(model.headers) };
	return {
		id: model.id,
		name: model.name ?? model.id,
		api: (config.streamSimple ? api : (model.api ?? api)) ?? "",
		provider,
		baseUrl: model.baseUrl ?? config.baseUrl ?? "",
		reasoning: model.reasoning ?? false,
		input: model.input ?? ["text"],
		cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, ...model.cost },
		contextWindow: model.contextWindow ?? configLimits.defaultContextWindow,
		maxTokens: model.maxTokens ?? configLimits.defaultMaxTokens,
		...(model.thinkingLevelMap ? { thinkingLevelMap: model.thinkingLevelMap } : {}),
		...(Object.keys(headers).length > 0 ? { headers } : {}),
		...(model.compat ? { compat: model.compat } : {}),
	};
}

/** A value may be the name of a variable. */
function resolved(headers: Record<string, string> | undefined): Record<string, string> | undefined {
	if (!headers) return undefined;
	return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, env(value) ?? value]));
}

function of<T>(all: WeakMap<ModelRegistry, Map<string, T>>, registry: ModelRegistry): Map<string, T> {
	const known = all.get(registry) ?? new Map<string, T>();
	all.set(registry, known);
	return known;
}
