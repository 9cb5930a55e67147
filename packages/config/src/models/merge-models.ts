/** Applies `models.yml` to the models: routes, overrides, and custom models. */
import { addressOf, providerOf, type Compat, type Model } from "@tau/ai";
import type { Env } from "@tau/utils";

import { limits } from "./limits.ts";
import type { ModelFacts, ProviderConfig } from "./models-file/index.ts";

/** A model of the catalogue or of a server, with the file's route and corrections. */
export function override(model: Model, config: ProviderConfig | undefined): Model {
	if (!config) return model;
	const headers = { ...model.headers, ...config.headers };
	const routed: Model = {
		...model,
		baseUrl: config.baseUrl ?? model.baseUrl,
		...(Object.keys(headers).length > 0 ? { headers } : {}),
		...(config.compat ? { compat: mergeCompat(model.compat ?? {}, config.compat) } : {}),
	};
	const facts = config.modelOverrides?.[model.id];
	return facts ? applyFacts(routed, facts) : routed;
}

/** The models that the file itself defines. */
export function customModels(provider: string, config: ProviderConfig, env: Env): Model[] {
	const row = providerOf(provider);
	return (config.models ?? []).map(({ id, api, ...facts }) => {
		const headers = { ...row?.headers, ...config.headers };
		const compat = mergeCompat(row?.compat ?? {}, config.compat ?? {});
		const base: Model = {
			id,
			name: id,
			// The schema ensures that one of them is set.
			api: api ?? config.api ?? row?.api ?? "",
			provider,
			baseUrl: config.baseUrl ?? (row ? addressOf(row, env) : ""),
			reasoning: false,
			input: ["text"],
			cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
			contextWindow: limits.defaultContextWindow,
			maxTokens: limits.defaultMaxTokens,
			...(Object.keys(headers).length > 0 ? { headers } : {}),
			...(Object.keys(compat).length > 0 ? { compat } : {}),
		};
		const overrides = config.modelOverrides?.[id];
		return overrides ? applyFacts(applyFacts(base, facts), overrides) : applyFacts(base, facts);
	});
}

function applyFacts(model: Model, facts: ModelFacts): Model {
	const { headers, compat, ...plain } = facts;
	// A limit that the user sets is intentional; one of the catalog only describes the model's maximum.
	const limitsOutput = facts.maxTokens === undefined ? undefined : { sendMaxTokens: true };
	const defined = Object.fromEntries(Object.entries(plain).filter(([, value]) => value !== undefined));
	return {
		...model,
		...defined,
		...(headers ? { headers: { ...model.headers, ...headers } } : {}),
		...(compat || limitsOutput
			? { compat: mergeCompat(model.compat ?? {}, { ...limitsOutput, ...compat }) }
			: {}),
	};
}

/** Nested routing blocks are merged, not replaced. */
function mergeCompat(base: Compat, more: Compat): Compat {
	const merged: Record<string, unknown> = { ...base };
	for (const [name, value] of Object.entries(more)) {
		if (value === undefined) continue;
		const before = merged[name];
		const nested = typeof value === "object" && typeof before === "object" && before !== null;
		merged[name] = nested ? { ...before, ...value } : value;
	}
	return merged;
}
