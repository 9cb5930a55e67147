/** The model of a role for work beside the conversation: titles, summaries, descriptions of images, commit messages. */
import type { Model } from "@tau/ai";

import type { ModelRegistry } from "./model-registry.ts";
import { resolveModel, selector, type Resolved } from "./model-resolver.ts";
import { borrowedFrom, followRole, roleOf, suggestedFor } from "./model-roles.ts";
import type { ModelRole } from "./model-settings.ts";

type Choice = Omit<Extract<Resolved, { ok: true }>, "ok">;

/** The model that the user has set for the role itself; undefined if there is none, or if it cannot be used. */
export function chosenForRole(role: ModelRole, registry: ModelRegistry): Choice | undefined {
	const target = followRole(role, registry.settings.roles);
	if (target.kind !== "pattern") return undefined;
	const { ok, ...choice } = resolveModel(target.pattern, registry.all(), registry);
	if (!ok || !("model" in choice) || !registry.isAvailable(choice.model)) return undefined;
	return target.thinking ? { ...choice, thinking: target.thinking } : choice;
}

/**
 * The user's model for the role, or for the role that it falls back to; else a suitable one of the conversation's own
 * provider: the user has not agreed to send text to another company. Undefined if there is none.
 */
export function modelForRole(role: ModelRole, current: Model, registry: ModelRegistry): Choice | undefined {
	const atProvider = {
		settings: registry.settings,
		canonical: () => registry.canonical(),
		isAvailable: (model: Model) => model.provider === current.provider && registry.isAvailable(model),
	};
	for (let next: ModelRole | undefined = role; next && next !== "default"; next = borrowedFrom(next)) {
		// What the user has set, and cannot be used now, is not replaced by something else.
		if (followRole(next, registry.settings.roles).kind !== "unset") return chosenForRole(next, registry);
		const model = suggestedFor(next, atProvider);
		if (model) return { model };
	}
	return undefined;
}

/** The same, or the conversation's own model where nothing is set for the role and nothing suits it. */
export function modelBeside(role: ModelRole, current: Model, registry: ModelRegistry): Model | undefined {
	const found = modelForRole(role, current, registry);
	if (found) return found.model;
	const isSet = followRole(role, registry.settings.roles).kind !== "unset";
	return isSet ? undefined : registry.find(selector(current));
}

/** A model as a setting names it: a role, or a model that can be used. */
export function namedModel(name: string, current: Model, registry: ModelRegistry): Choice | undefined {
	const role = roleOf(name);
	if (role) return modelForRole(role.role, current, registry);
	const resolved = resolveModel(name, registry.all(), registry);
	return resolved.ok && registry.isAvailable(resolved.model) ? resolved : undefined;
}
