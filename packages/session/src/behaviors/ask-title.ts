/** Requests the title of a session from the model of the role `smol`. */
import { join } from "node:path";

import { stream as streamByDefault, type AssistantMessage, type Model, type StreamFunction } from "@tau/ai";
import { log } from "@tau/utils";

import type { ModelRegistry } from "../models/model-registry.ts";
import { resolveModel, selector } from "../models/model-resolver.ts";
import { followRole, suggestedFor } from "../models/model-roles.ts";
import titleSystem from "../prompts/title-system.md" with { type: "text" };
import { limits } from "../run/limits.ts";
import type { AskTitle } from "./session-title.ts";
import type { KeySource } from "../models/key-source.ts";

export interface TitleParts {
	registry: ModelRegistry;
	keys: Pick<KeySource, "for">;
	stream?: StreamFunction | undefined;
	/** The directories that may contain the user's own `TITLE_SYSTEM.md`. */
	agentDir: string;
}

export function askTitle({ registry, keys, agentDir, stream = streamByDefault }: TitleParts): AskTitle {
	return async (exchange, current, signal): Promise<AssistantMessage | undefined> => {
		const model = smallModel(registry, current);
		if (!model || (await registry.unlock(model.provider, signal)) !== undefined) return undefined;
		const { apiKey, headers, baseUrl = model.baseUrl } = await keys.for(model);
		const systemPrompt = (await ownPrompt(agentDir)) ?? titleSystem.trim();
		signal.throwIfAborted();
		return await stream(
			{ ...model, baseUrl },
			{ systemPrompt, messages: [{ role: "user", content: exchange, timestamp: Date.now() }] },
			{
				signal,
				headers,
				maxTokens: limits.titleTokens,
				reasoning: "off",
				...(apiKey === undefined ? {} : { apiKey }),
			},
		).result();
	};
}

/**
 * Returns the user's model for `smol`, else a small model of the same provider, or the conversation's own model:
 * the user has not agreed to send text to another company. A model outside the registry (the demo) makes no titles.
 */
function smallModel(registry: ModelRegistry, current: Model): Model | undefined {
	const target = followRole("smol", registry.settings.roles);
	if (target.kind === "circle") return undefined;
	if (target.kind === "pattern") {
		const resolved = resolveModel(target.pattern, registry.all(), registry);
		return resolved.ok && registry.isAvailable(resolved.model) ? resolved.model : undefined;
	}
	const suggested = suggestedFor("smol", {
		settings: registry.settings,
		canonical: () => registry.canonical(),
		isAvailable: (model) => model.provider === current.provider && registry.isAvailable(model),
	});
	return suggested ?? registry.find(selector(current));
}

async function ownPrompt(agentDir: string): Promise<string | undefined> {
	const file = Bun.file(join(agentDir, "TITLE_SYSTEM.md"));
	if (!(await file.exists())) return undefined;
	if (file.size > limits.titlePromptFileBytes) {
		log.warn("TITLE_SYSTEM.md was not used: it is too large", { bytes: file.size });
		return undefined;
	}
	return (await file.text()).trim();
}
