/** Sends one question to the model of a role, outside of any conversation. */
import { stream as streamByDefault, type AssistantMessage, type Model, type StreamFunction } from "@tau/ai";

import type { KeySource } from "./key-source.ts";
import type { ModelRegistry } from "./model-registry.ts";

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
