/** Chooses the model and the thinking level with which a session continues. */
import { thinkingLevels, type Model, type ThinkingLevel } from "@tau/ai";
import type { Env } from "@tau/utils";

import {
	chooseModel,
	type Choice,
	type ModelRequest,
	type ModelRegistry,
	selector,
} from "@tau/config/models";
import type { Settings } from "@tau/config/settings";
import type { SessionContext, SessionManager } from "@tau/log";

export interface SessionModelParts {
	request: ModelRequest;
	/** Overrides the level behind the model's name, which overrides the settings. */
	thinking: ThinkingLevel | undefined;
	registry: ModelRegistry;
	settings: Settings;
	log: SessionManager;
	env: Env;
}

/** A resumed session continues with its model, unless another one is requested or it cannot be used. */
export async function sessionModel(parts: SessionModelParts): Promise<Choice> {
	const { request, registry, settings, log, env } = parts;
	const isOpen = request.model === undefined && request.provider === undefined;
	const before = isOpen ? modelOf(log.buildSessionContext()) : undefined;
	const last = before === undefined ? undefined : await knownModel(before, registry);
	const isUsable = last && registry.isAvailable(last);
	const choice = await chooseModel(isUsable ? { ...request, model: selector(last) } : request, registry, env);
	const now = selector(choice.model);
	if (before !== undefined && !isUsable && now !== before)
		choice.notices.push(`This session used ${before}, which is not available. It continues with ${now}.`);
	const level = parts.thinking ?? choice.thinking ?? loggedLevel(log) ?? settings.get("defaultThinkingLevel");
	return level ? { ...choice, thinking: level } : choice;
}

function modelOf({ model }: SessionContext): string | undefined {
	return model ? `${model.provider}/${model.modelId}` : undefined;
}

/** Discovery for an extension's provider may still be pending. */
async function knownModel(name: string, registry: ModelRegistry): Promise<Model | undefined> {
	const known = registry.find(name);
	if (known) return known;
	await registry.listed();
	return registry.find(name);
}

/** The last thinking level that was chosen on the current branch. */
export function loggedLevel(log: SessionManager): ThinkingLevel | undefined {
	const head = log.getBranchHeads().findLast(({ type }) => type === "thinking_level_change");
	const entry = head && log.getEntry(head.id);
	const logged = entry?.type === "thinking_level_change" ? entry.thinkingLevel : undefined;
	return thinkingLevels.find((level) => level === logged);
}
