/** Settings about which model answers, and how much it thinks. */
import { thinkingLevels } from "@tau/ai";

import { choice, list, table } from "../setting.ts";

const payment = "it decides which model is paid for, and who reads the conversation";

export const models = {
	modelRoles: table({
		description:
			"What a role stands for: a model, or another role such as tau/smol, with a thinking level behind it if need be (provider/id:high). Known roles: default, smol, slow, plan, commit.",
		notForProjects: payment,
	}),
	enabledModels: list({
		description:
			"Patterns of the models to choose among, as for --models: openai/*, *haiku*. Empty for all models.",
		notForProjects: payment,
	}),
	modelProviderOrder: list({
		description: "Which provider is preferred when several have the same model; the first one most.",
		notForProjects: payment,
	}),
	disabledProviders: list({
		description: "Providers that are never used, even where there is a key for them.",
		notForProjects: payment,
	}),
	fallbackModels: list({
		description: "Models that take over, in this order, when the chosen one keeps failing.",
		notForProjects: payment,
	}),
	defaultThinkingLevel: choice(thinkingLevels, {
		description:
			"How much the model thinks when neither --thinking nor the name of the model says so. Not set, the model decides.",
		default: undefined,
		notForProjects: "thinking is paid for",
	}),
};
