/** Opens the list of models, and connects a provider that is chosen there without a key. */
import type { InteractiveHost } from "../../host.ts";
import { connectOneOf, knownOffers } from "../login/connect.ts";
import { openSelector } from "../open.ts";
import { modelSelector } from "./selector.ts";

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
