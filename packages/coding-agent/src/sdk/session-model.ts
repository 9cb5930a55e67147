/** Decides which model a session goes on with, and how much it thinks. */
import type { ThinkingLevel } from "@tau/ai";
import type { Env } from "@tau/utils";

import { chooseModel, type Choice, type ModelRequest } from "../cli/choose-model.ts";
import type { ModelRegistry } from "../config/model-registry.ts";
import { selector } from "../config/model-resolver.ts";
import type { Settings } from "../config/settings/index.ts";
import type { SessionContext } from "../session/index.ts";

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
	const last = before?.model ? registry.find(`${before.model.provider}/${before.model.modelId}`) : undefined;
	const goesOn = last && request.model === undefined && registry.isAvailable(last);
	const choice = await chooseModel(goesOn ? { ...request, model: selector(last) } : request, registry, env);
	const level = parts.thinking ?? choice.thinking ?? settings.get("defaultThinkingLevel");
	return level ? { ...choice, thinking: level } : choice;
}
