/** A session for tests: a model that stands for a real one, no tools, no keys. */
import type { Model } from "@tau/ai";
import { log } from "@tau/utils";

import { AgentSession, type AgentSessionOptions } from "../session/index.ts";

export function testModel(facts: Partial<Model> = {}): Model {
	return {
		id: "played-1",
		name: "Played",
		api: "anthropic-messages",
		provider: "played",
		baseUrl: "http://127.0.0.1:9",
		reasoning: false,
		input: ["text", "image"],
		cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
		contextWindow: 1_000_000,
		maxTokens: 1000,
		...facts,
	};
}

/** By `provider/id`. */
export function modelNamed(name: string): Model {
	const slash = name.indexOf("/");
	return testModel({ provider: name.slice(0, slash), id: name.slice(slash + 1) });
}

export function testSession(model: Model, options: Partial<AgentSessionOptions> = {}): AgentSession {
	silenceLog();
	return new AgentSession({ model, systemPrompt: "", tools: [], credentials: () => ({}), ...options });
}

/** What goes wrong on purpose in a test has no place in the log of the person who runs it. */
function silenceLog(): void {
	const level = process.env.TAU_LOG_LEVEL;
	process.env.TAU_LOG_LEVEL = "off";
	// The level counts as it is at the first line; the variable is not left behind for other tests.
	log.debug("silence");
	if (level === undefined) delete process.env.TAU_LOG_LEVEL;
	else process.env.TAU_LOG_LEVEL = level;
}
