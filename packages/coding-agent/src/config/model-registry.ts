/** All models that Tau knows, from the catalogue and from `models.yml`, and the keys to use them. */
import { builtinModels, providers as builtinProviders, type Compat, type Model } from "@tau/ai";
import { env as readEnv, registerSecret, type Env } from "@tau/utils";

import { limits } from "./limits.ts";
import type { ModelFacts, ModelsFile, ProviderConfig } from "./models-file/index.ts";

export class ModelRegistry {
	readonly #env: Env;
	readonly #file: ModelsFile;
	readonly #runtimeKeys = new Map<string, string>();
	#models: Model[];

	constructor(file: ModelsFile, env: Env) {
		this.#file = file;
		this.#env = env;
		this.#models = merge(file);
	}

	/** Where a person would add a model. */
	get modelsFile(): string {
		return this.#file.path;
	}

	all(): readonly Model[] {
		return this.#models;
	}

	/** The models that could be asked right now. */
	available(): Model[] {
		return this.#models.filter((model) => this.isAvailable(model));
	}

	isAvailable(model: Model): boolean {
		return this.#isKeyless(model.provider) || this.apiKey(model.provider) !== undefined;
	}

	add(...models: Model[]): void {
		this.#models = [...this.#models, ...models];
	}

	/** A key for this run only (`--api-key`), for the provider of this model; it is never stored. */
	setRuntimeKey(model: Model, key: string): void {
		registerSecret(key);
		this.#runtimeKeys.set(model.provider, key);
	}

	/**
	 * `--api-key`, then the provider's variables, then `models.yml`: a variable's name or the key itself. A provider
	 * with `auth: none` is not sent a key that happens to lie in the environment.
	 */
	apiKey(provider: string): string | undefined {
		const { apiKey: configured, auth } = this.#file.providers.get(provider) ?? {};
		const names =
			auth === "none" ? [] : [...keyNames(provider), ...(configured === undefined ? [] : [configured])];
		const found = names.map((name) => readEnv(name, this.#env)).find((value) => value !== undefined);
		const key = this.#runtimeKeys.get(provider) ?? found ?? (auth === "none" ? undefined : configured);
		if (key !== undefined) registerSecret(key);
		return key;
	}

	/** The environment without the variables in which `models.yml` says that keys are, for what a model runs. */
	withoutKeys(env: Env): Env {
		const secret = new Set([...this.#file.providers.values()].map(({ apiKey }) => apiKey));
		return Object.fromEntries(Object.entries(env).filter(([name]) => !secret.has(name)));
	}

	/** Headers beyond the protocol's own that a provider of `models.yml` asked for. */
	requestHeaders(provider: string): Record<string, string> {
		const key = this.#file.providers.get(provider)?.authHeader ? this.apiKey(provider) : undefined;
		return key === undefined ? {} : { authorization: `Bearer ${key}` };
	}

	#isKeyless(provider: string): boolean {
		const config = this.#file.providers.get(provider);
		if (config?.auth === "none") return true;
		return config === undefined && !builtinProviders.some(({ id }) => id === provider);
	}
}

export function keyNames(provider: string): readonly string[] {
	return builtinProviders.find(({ id }) => id === provider)?.keys ?? [];
}

/** Catalogue, then provider overrides, then model overrides, then the file's own models. */
function merge(file: ModelsFile): Model[] {
	const own = [...file.providers].flatMap(([id, config]) => customModels(id, config));
	const taken = new Set(own.map((model) => `${model.provider}/${model.id}`));
	const kept = builtinModels()
		.filter((model) => !taken.has(`${model.provider}/${model.id}`))
		.map((model) => override(model, file.providers.get(model.provider)));
	// The user's own models stand first: who writes a file wants them to be found.
	return [...own, ...kept];
}

function override(model: Model, config: ProviderConfig | undefined): Model {
	if (!config) return model;
	const headers = { ...model.headers, ...config.headers };
	const routed: Model = {
		...model,
		baseUrl: config.baseUrl ?? model.baseUrl,
		...(Object.keys(headers).length > 0 ? { headers } : {}),
	};
	const facts = config.modelOverrides?.[model.id];
	return facts ? applyFacts(routed, facts) : routed;
}

function customModels(provider: string, config: ProviderConfig): Model[] {
	return (config.models ?? []).map(({ id, api, ...facts }) => {
		const base: Model = {
			id,
			name: id,
			// The schema makes sure that one of the two is there.
			api: api ?? config.api ?? "",
			provider,
			baseUrl: config.baseUrl ?? "",
			reasoning: false,
			input: ["text"],
			cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
			contextWindow: limits.defaultContextWindow,
			maxTokens: limits.defaultMaxTokens,
			...(config.headers ? { headers: config.headers } : {}),
		};
		const overrides = config.modelOverrides?.[id];
		return overrides ? applyFacts(applyFacts(base, facts), overrides) : applyFacts(base, facts);
	});
}

function applyFacts(model: Model, facts: ModelFacts): Model {
	const { headers, compat, contextPromotionTarget: _, ...plain } = facts;
	const said = Object.fromEntries(Object.entries(plain).filter(([, value]) => value !== undefined));
	return {
		...model,
		...said,
		...(headers ? { headers: { ...model.headers, ...headers } } : {}),
		...(compat ? { compat: mergeCompat(model.compat ?? {}, compat) } : {}),
	};
}

/** Nested routing blocks are merged, not replaced. */
function mergeCompat(base: Compat, more: NonNullable<ModelFacts["compat"]>): Compat {
	const merged: Record<string, unknown> = { ...base };
	for (const [name, value] of Object.entries(more)) {
		if (value === undefined) continue;
		const before = merged[name];
		const nested = typeof value === "object" && typeof before === "object" && before !== null;
		merged[name] = nested ? { ...before, ...value } : value;
	}
	return merged;
}
