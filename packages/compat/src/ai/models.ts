/** pi's questions about models, answered from the catalogue. */

import {
	fittingLevel,
	levelsOf,
	addCost,
	builtinModels,
	providerOf,
	providers,
	type Model,
	type ThinkingLevel,
	type Usage,
} from "@tau/ai";

export function getModel(provider: string, id: string): Model | undefined {
	return getModels(provider).find((model) => model.id === id);
}

/** Some providers have another name in pi. */
export function getModels(provider: string): Model[] {
	return builtinModels(providerOf(provider)?.id ?? provider);
}

/** Those that the catalogue has models of. */
export function getProviders(): string[] {
	const known = new Set(builtinModels().map(({ provider }) => provider));
	return providers.map(({ id }) => id).filter((id) => known.has(id));
}

/** Writes the cost into the usage too, and leaves its total alone. */
export function calculateCost({ cost }: Pick<Model, "cost">, usage: Usage): Usage["cost"] {
	const { totalTokens } = usage;
	usage.cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
	addCost(usage, cost);
	usage.totalTokens = totalTokens;
	return usage.cost;
}

export function modelsAreEqual(one?: Model | null, other?: Model | null): boolean {
	return Boolean(one && other && one.provider === other.provider && one.id === other.id);
}

export function supportsXhigh(model: Model): boolean {
	return levelsOf(model).includes("xhigh");
}

function hasApi(model: Model, api: string): boolean {
	return model.api === api;
}

/** Tau's catalog contains chat models only. */
export function getModelType(model: Model & { type?: string }): string {
	return model.type ?? "chat";
}

function isModelType(model: Model & { type?: string }, type: string): boolean {
	return getModelType(model) === type;
}

function getSupportedThinkingLevels(model: Model): ThinkingLevel[] {
	return levelsOf(model);
}

export function clampThinkingLevel(model: Model, level: ThinkingLevel): ThinkingLevel {
	return fittingLevel(model, level);
}

/** What extensions get of it. */
export const modelExports = {
	getModel,
	getModels,
	getProviders,
	calculateCost,
	modelsAreEqual,
	supportsXhigh,
	hasApi,
	getModelType,
	isModelType,
	getSupportedThinkingLevels,
	clampThinkingLevel,
};
