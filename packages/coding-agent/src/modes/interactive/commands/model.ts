/** `/model`: which model answers from the next turn on. */
import { resolveModel } from "@tau/session/models";

import { modelSelector } from "../selectors/model/selector.ts";
import { openSelector } from "../selectors/open.ts";
import type { InteractiveHost } from "../host.ts";
import type { SlashCommand } from "./command.ts";

export const model: SlashCommand = {
	name: "model",
	argumentHint: "[name]",
	description: "Select a model",
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
		if (!named?.ok) return open(args, host);
		await use(named.model.provider, named.model.id, host);
		if (named.thinking) host.setThinking(named.thinking);
	},
};

/** A name that fits no model, or several, is what the list is searched for. */
function open(search: string, host: InteractiveHost): void {
	openSelector(host, (screen, close) => ({
		component: modelSelector(screen, {
			registry: host.registry,
			settings: host.settings,
			current: () => host.session.model,
			...(search === "" ? {} : { search }),
			use: ({ provider, id }) => use(provider, id, host),
			close,
		}),
	}));
}

async function use(provider: string, id: string, host: InteractiveHost): Promise<void> {
	host.setModel(await host.models.ready(provider, id));
}
