/** The demo as a row of the model catalogue. */
import type { Model } from "@tau/ai";

export const demoModel: Model = {
	id: "demo",
	name: "Tau demo (no model)",
	api: "tau-demo",
	provider: "tau",
	baseUrl: "",
	reasoning: true,
	input: ["text"],
	cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
	contextWindow: 100_000,
	maxTokens: 16_384,
};

/** Whether this is the demo, which answers where no model is set up. */
export function isDemo({ api }: Pick<Model, "api">): boolean {
	return api === demoModel.api;
}
