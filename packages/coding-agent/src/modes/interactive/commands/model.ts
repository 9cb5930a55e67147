/** `/model`: which model answers from the next turn on. */
import { resolveModel } from "@tau/session/models";

import { connectOneOf, knownOffers } from "../selectors/login/connect.ts";
import { modelSelector } from "../selectors/model/selector.ts";
import { openSelector } from "../selectors/open.ts";
import type { InteractiveHost } from "../host.ts";
import type { SlashCommand } from "./command.ts";

export const model: SlashCommand = {
	name: "model",
	group: "Model",
	argumentHint: "[name]",
	description: "Select a model",
	details:
		"Without a name, opens the list of models. With a name it switches at once if only one model fits; a thinking level may follow: `/model name:high`. The change counts from the next turn on.",
	complete: (prefix, { models }) =>
		models
			.available()
			.map(({ provider, id, name }) => ({
				value: `${provider}/${id}`,
				label: `${provider}/${id}`,
				description: name,
			}))
			.filter(({ value }) => value.toLowerCase().includes(prefix.toLowerCase())),
	async run(args, host) {
		const named = args === "" ? undefined : resolveModel(args, host.models.available(), host.registry);
		if (!named?.ok) return openModels(host, { search: args });
		await use(named.model.provider, named.model.id, host);
		if (named.thinking) host.setThinking(named.thinking);
	},
};

/** A name that fits no model, or several, is what the list is searched for. */
export function openModels(
	host: InteractiveHost,
	{ search = "", provider }: { search?: string; provider?: string } = {},
): void {
	openSelector(host, (screen, close) => ({
		component: modelSelector(screen, {
			registry: host.registry,
			settings: host.settings,
			current: () => host.session.model,
			...(search === "" ? {} : { search }),
			...(provider === undefined ? {} : { tab: `provider ${provider}` }),
			connect: (missing) => void connectTo(host, missing),
			level: () => host.session.state.thinkingLevel,
			use: async (chosen, level) => {
				await use(chosen.provider, chosen.id, host);
				if (level) host.setThinking(level);
			},
			close,
		}),
	}));
}

/** Then the list is shown again, with what can be used now. */
async function connectTo(host: InteractiveHost, provider: string): Promise<void> {
	try {
		const connected = await connectOneOf(host, await knownOffers(host), provider);
		if (connected !== undefined) openModels(host, { provider: connected });
	} catch (error) {
		host.notify(error instanceof Error ? error.message : String(error), "error");
	}
}

async function use(provider: string, id: string, host: InteractiveHost): Promise<void> {
	host.setModel(await host.models.ready(provider, id));
}
