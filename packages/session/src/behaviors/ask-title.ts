/** Requests the title of a session from the model of the role `smol`. */
import { join } from "node:path";

import type { AssistantMessage, StreamFunction } from "@tau/ai";
import { log } from "@tau/utils";

import type { ModelRegistry } from "../models/model-registry.ts";
import { askRole, roleModel } from "../models/ask-role.ts";
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

export function askTitle({ registry, keys, agentDir, stream }: TitleParts): AskTitle {
	return async (exchange, current, signal): Promise<AssistantMessage | undefined> => {
		// A model outside the registry (the demo) makes no titles.
		const model = roleModel("smol", registry, current);
		if (!model) return undefined;
		const systemPrompt = (await ownPrompt(agentDir)) ?? titleSystem.trim();
		return await askRole({ registry, keys, stream }, model, {
			systemPrompt,
			text: exchange,
			maxTokens: limits.titleTokens,
			signal,
		});
	};
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
