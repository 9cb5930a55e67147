/** Requests the title of a session from the model of the role `tiny`, else from that of `smol`. */
import { join } from "node:path";

import type { AssistantMessage, Model, StreamFunction } from "@tau/ai";
import { log } from "@tau/utils";

import { type ModelRegistry, askRole, chosenForRole, modelBeside, type KeySource } from "@tau/config/models";
import titleSystem from "../prompts/title-system.md" with { type: "text" };
import { limits } from "../run/limits.ts";
import type { AskTitle } from "./session-title.ts";

export interface TitleParts {
	registry: ModelRegistry;
	keys: Pick<KeySource, "for">;
	stream?: StreamFunction | undefined;
	/** The directories that may contain the user's own `TITLE_SYSTEM.md`. */
	agentDir: string;
}

export function askTitle({ registry, keys, agentDir, stream }: TitleParts): AskTitle {
	return async (exchange, current, signal): Promise<AssistantMessage | undefined> => {
		const systemPrompt = (await ownPrompt(agentDir)) ?? titleSystem.trim();
		const question = { systemPrompt, text: exchange, maxTokens: limits.titleTokens, signal };
		let answer: AssistantMessage | undefined;
		for (const model of titleModels(registry, current)) {
			answer = (await askRole({ registry, keys, stream }, model, question)) ?? answer;
			if (answer && answer.stopReason !== "error") return answer;
		}
		return answer;
	};
}

/**
 * A tiny model, which may be one of a local server that is not running; then a small one, or the conversation's own.
 * A model outside the registry (the demo) makes no titles.
 */
function titleModels(registry: ModelRegistry, current: Model): Model[] {
	const models = [chosenForRole("tiny", registry)?.model, modelBeside("smol", current, registry)];
	return [...new Set(models)].filter((model) => model !== undefined);
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
