/** A model for tests; a test states only the facts that it is about. */
import type { Model } from "../types.ts";

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
