/** Settings about the choice of the model and its thinking level. */
import { thinkingLevels } from "@tau/ai";

import { choice, count, list, table } from "../setting.ts";

const payment = "it controls which model you pay for and who receives the conversation";

export const models = {
	modelRoles: table({
		description:
			"The model of each role: a model, or another role such as tau/smol, with an optional thinking level (provider/id:high). Known roles: default, smol, slow, plan, commit, vision, tiny.",
		notForProjects: payment,
	}),
	enabledModels: list({
		description:
			"Patterns of the models to offer, as in --models: openai/*, *haiku*. Empty means all models.",
		notForProjects: payment,
	}),
	modelProviderOrder: list({
		description: "Preferred providers when several offer the same model, most preferred first.",
		notForProjects: payment,
	}),
	disabledProviders: list({
		description: "Providers that are never used, even if a key is available.",
		notForProjects: payment,
	}),
	fallbackModels: list({
		description: "Fallback models, in this order, when the selected model keeps failing.",
		notForProjects: payment,
	}),
	"providers.openaiWebsockets": choice(["auto", "on", "off"], {
		description:
			"Codex models answer over a websocket that all turns share, with HTTP as the fallback. auto: at OpenAI. on: at any server of the protocol.",
		default: "auto",
		notForProjects: "it controls how the conversation is sent",
	}),
	"cache.keepAlive": count(
		{ least: 0, most: 24, unit: "requests" },
		{
			description:
				"How many small requests keep the conversation in the provider's cache while tools run for a long time. Each costs a tenth of reading the conversation; 0 sends none.",
			default: 0,
			notForProjects: "each request costs money",
		},
	),
	defaultThinkingLevel: choice(thinkingLevels, {
		description:
			"The thinking level when neither --thinking nor the model name sets one. Unset: the model decides.",
		default: undefined,
		notForProjects: "thinking costs money",
	}),
};
