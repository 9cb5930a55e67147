/** `/model`: the list of models, and the mark in the transcript where another one answers. */
import { resolveModel } from "@tau/session/models";

import { model as row, type ModelData } from "../../../session-commands/rows/models.ts";
import { connectOneOf, knownOffers } from "../selectors/login/connect.ts";
import { modelSelector } from "../selectors/model/selector.ts";
import { openSelector } from "../selectors/open.ts";
import type { InteractiveHost } from "../host.ts";
import { onScreen } from "./on-screen.ts";

export const model = onScreen(row, {
	/** A name that fits no model, or several, is what the list is searched for. */
	open(args, host) {
		if (args !== "" && resolveModel(args, host.models.available(), host.registry).ok) return false;
		openModels(host, { search: args });
		return true;
	},
	pick(data) {
		const { models = [], current } = (data ?? {}) as Partial<ModelData>;
		const choices = models.map(({ model: value, name }) => ({
			value,
			label: value === current ? `${value} (now)` : value,
			description: name,
		}));
		return { title: "Model", choices };
	},
	// The transcript shows where another model begins when the session says so.
	draw: () => {},
});

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
				host.setModel(await host.models.ready(chosen.provider, chosen.id));
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
