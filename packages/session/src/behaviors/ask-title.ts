/** Requests the title of a session from the model of the role `tiny`, else from that of `smol`. */
import { join } from "node:path";

import { stream as streamByDefault, type AssistantMessage, type Model, type StreamFunction } from "@tau/ai";
import { log } from "@tau/utils";

import type { ModelRegistry } from "../models/model-registry.ts";
import { selector } from "../models/model-resolver.ts";
import { followRole } from "../models/model-roles.ts";
import { chosenForRole, modelForRole } from "../models/role-model.ts";
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
		const systemPrompt = (await ownPrompt(agentDir)) ?? titleSystem.trim();
		let answer: AssistantMessage | undefined;
		for (const model of titleModels(registry, current)) {
			if ((await registry.unlock(model.provider, signal)) !== undefined) continue;
			const { apiKey, headers, baseUrl = model.baseUrl } = await keys.for(model);
			signal.throwIfAborted();
			answer = await stream(
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
			if (answer.stopReason !== "error") return answer;
		}
		return answer;
	};
}

/**
 * A tiny model, which may be one of a local server that is not running; then a small one, or the conversation's own.
 * A model outside the registry (the demo) makes no titles.
 */
function titleModels(registry: ModelRegistry, current: Model): Model[] {
	const tiny = chosenForRole("tiny", registry)?.model;
	const isSet = followRole("smol", registry.settings.roles).kind !== "unset";
	const small =
		modelForRole("smol", current, registry)?.model ?? (isSet ? undefined : registry.find(selector(current)));
	return [...new Set([tiny, small])].filter((model) => model !== undefined);
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
