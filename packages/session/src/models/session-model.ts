/** Decides which model a session goes on with, and how much it thinks. */
import type { Model, ThinkingLevel } from "@tau/ai";
import type { Env } from "@tau/utils";

import { chooseModel, type Choice, type ModelRequest } from "./choose-model.ts";
import type { ModelRegistry } from "./model-registry.ts";
import { selector } from "./model-resolver.ts";
import type { Settings } from "../settings/index.ts";
import type { SessionContext } from "../index.ts";

export interface SessionModelParts {
	request: ModelRequest;
	/** Stands above what is said behind the model's name, and that above the settings. */
	thinking: ThinkingLevel | undefined;
	registry: ModelRegistry;
	settings: Settings;
	/** The conversation so far. */
	before: SessionContext | undefined;
	env: Env;
}

/** A session that is opened again goes on with its model, unless another one is asked for or it cannot be used. */
export async function sessionModel(parts: SessionModelParts): Promise<Choice> {
	const { request, registry, settings, before, env } = parts;
	const last = request.model === undefined ? await lastModel(before, registry) : undefined;
	const goesOn = last && registry.isAvailable(last);
	const choice = await chooseModel(goesOn ? { ...request, model: selector(last) } : request, registry, env);
	const level = parts.thinking ?? choice.thinking ?? settings.get("defaultThinkingLevel");
	return level ? { ...choice, thinking: level } : choice;
}

/** A provider of an extension may still be listing it. */
async function lastModel(
	before: SessionContext | undefined,
	registry: ModelRegistry,
): Promise<Model | undefined> {
	if (!before?.model) return undefined;
	const name = `${before.model.provider}/${before.model.modelId}`;
	const known = registry.find(name);
	if (known) return known;
	await registry.listed();
	return registry.find(name);
}
