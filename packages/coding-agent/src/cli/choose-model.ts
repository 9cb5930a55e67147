/** Decides which model answers: the one that was asked for, else the best that can be used, else the demo. */
import { providers, registerApi, type Model, type ThinkingLevel } from "@tau/ai";
import type { Env } from "@tau/utils";

import { keyNames, type ModelRegistry } from "../config/model-registry.ts";
import { resolveModel, type Resolved } from "../config/model-resolver.ts";
import { UsageError } from "./args.ts";

export interface Choice {
	model: Model;
	thinking?: ThinkingLevel;
}

/** `apiKey` is for the provider of the chosen model and for this run only. */
export async function chooseModel(
	asked: string | undefined,
	apiKey: string | undefined,
	registry: ModelRegistry,
	env: Env,
): Promise<Choice> {
	if (asked === undefined) {
		if (apiKey !== undefined) throw new UsageError("--api-key needs --model, to know whose key it is.");
		return { model: await defaultModel(registry, env) };
	}
	const known = resolveModel(asked, registry.all());
	const resolved = known.ok ? known : await lookFurther(asked, registry, env);
	if (!resolved.ok) throw new UsageError(resolved.message);
	const { model, thinking } = resolved;
	if (apiKey !== undefined) registry.setRuntimeKey(model, apiKey);
	if (!registry.isAvailable(model)) throw new UsageError(missingKey(model));
	return thinking ? { model, thinking } : { model };
}

/** In the order of the provider table, then the user's own, then this machine's servers. */
async function defaultModel(registry: ModelRegistry, env: Env): Promise<Model> {
	const available = registry.available();
	for (const { id } of providers) {
		const model = available.find(({ provider }) => provider === id);
		if (model) return model;
	}
	const [own] = available;
	if (own) return own;
	const [local] = await localModels(env);
	return local ?? loadDemo(registry, env);
}

/** The demo and the models of local servers: only worth loading and asking for when nothing else fits. */
async function lookFurther(asked: string, registry: ModelRegistry, env: Env): Promise<Resolved> {
	const demo = await loadDemo(registry, env);
	const found = resolveModel(asked, [...registry.all(), demo]);
	if (found.ok) return found;
	registry.add(...(await localModels(env)), demo);
	return resolveModel(asked, registry.all());
}

async function localModels(env: Env): Promise<Model[]> {
	const { findLocalServers } = await import("../config/local-servers.ts");
	return (await findLocalServers(env)).flatMap(({ models }) => models);
}

function missingKey(model: Model): string {
	const names = keyNames(model.provider);
	const way = names.length > 0 ? `Set ${names.join(" or ")}` : "Add an apiKey for it to models.yml";
	return `No key for ${model.provider}/${model.id}. ${way}, or pass --api-key.`;
}

/** The demo is only loaded when it may be needed: it is text and patterns that a real model has no use for. */
async function loadDemo(registry: ModelRegistry, env: Env): Promise<Model> {
	const { createDemoStream, demoModel } = await import("../demo/index.ts");
	registerApi(
		demoModel.api,
		createDemoStream(async () => {
			const { findLocalServers } = await import("../config/local-servers.ts");
			const servers = await findLocalServers(env);
			return {
				keys: providers.flatMap(({ id, keys }) =>
					keys.map((variable) => ({ provider: id, variable, found: Boolean(env[variable]) })),
				),
				servers: servers.map(({ name, url, found, models }) => ({ name, url, found, models: models.length })),
				modelsFile: registry.modelsFile,
			};
		}),
	);
	return demoModel;
}
