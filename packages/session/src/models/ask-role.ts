/** Sends one question to the model of a role, outside of any conversation. */
import { stream as streamByDefault, type AssistantMessage, type Model, type StreamFunction } from "@tau/ai";

import type { KeySource } from "./key-source.ts";
import type { ModelRegistry } from "./model-registry.ts";
import { resolveModel, selector } from "./model-resolver.ts";
import { borrowedFrom, followRole, suggestedFor } from "./model-roles.ts";
import type { ModelRole } from "./model-settings.ts";

export interface RoleParts {
	registry: ModelRegistry;
	keys: Pick<KeySource, "for">;
	stream?: StreamFunction | undefined;
}

export interface RoleQuestion {
	systemPrompt: string;
	text: string;
	maxTokens: number;
	signal: AbortSignal;
}

/** Undefined if the role has no model that can be used. */
export async function askRole(
	{ registry, keys, stream = streamByDefault }: RoleParts,
	model: Model,
	{ systemPrompt, text, maxTokens, signal }: RoleQuestion,
): Promise<AssistantMessage | undefined> {
	if ((await registry.unlock(model.provider, signal)) !== undefined) return undefined;
	const { apiKey, headers, baseUrl = model.baseUrl } = await keys.for(model);
	signal.throwIfAborted();
	return await stream(
		{ ...model, baseUrl },
		{ systemPrompt, messages: [{ role: "user", content: text, timestamp: Date.now() }] },
		{ signal, headers, maxTokens, reasoning: "off", ...(apiKey === undefined ? {} : { apiKey }) },
	).result();
}

/**
 * The user's model for the role or for the one that it borrows from, else a suggested one of the same provider, or the
 * conversation's own model: the user has not agreed to send text to another company.
 */
export function roleModel(role: ModelRole, registry: ModelRegistry, current: Model): Model | undefined {
	for (let at: ModelRole | undefined = role; at !== undefined && at !== "default"; at = borrowedFrom(at)) {
		const target = followRole(at, registry.settings.roles);
		if (target.kind === "circle") return undefined;
		if (target.kind === "pattern") {
			const resolved = resolveModel(target.pattern, registry.all(), registry);
			return resolved.ok && registry.isAvailable(resolved.model) ? resolved.model : undefined;
		}
		const suggested = suggestedFor(at, {
			settings: registry.settings,
			canonical: () => registry.canonical(),
			isAvailable: (model) => model.provider === current.provider && registry.isAvailable(model),
		});
		if (suggested) return suggested;
	}
	return registry.find(selector(current));
}
