/** Shows the options to connect a model while there is none: a login, a key, a local server, or the demo. */
import { findServers, triedServers, type DiscoveredServer } from "@tau/session-commands/work";

import { isDemo } from "@tau/bundled";
import type { Choice, InteractiveHost } from "../host.ts";
import { openModels } from "../selectors/model/open-models.ts";
import { connectOneOf, knownOffers } from "../selectors/login/connect.ts";
import { labelOf } from "../selectors/login/offers.ts";
import { plural } from "../views/format.ts";
import { offer } from "./offer.ts";

const title = "No model is configured. How would you like to connect one?";
const serverPrefix = "server ";

/** A user who cancels gets the demo; a user who cancels one of the options sees all of them again. */
export async function wizard(host: InteractiveHost, servers: readonly DiscoveredServer[]): Promise<void> {
	let discoveredServers = servers;
	let last: string | undefined;
	for (;;) {
		const way = await offer(host, title, waysWith(discoveredServers), { selected: last });
		last = way;
		if (way === undefined || way === "demo") return host.notify(demoNotice);
		try {
			if (way === "look") discoveredServers = await lookAgain(host);
			else if (await go(host, way, discoveredServers)) return;
		} catch (error) {
			// An error is reported and does not end the wizard.
			host.notify(error instanceof Error ? error.message : String(error), "error");
		}
	}
}

export const demoNotice = "Using the built-in demo. Run /login to connect a real model.";

function waysWith(servers: readonly DiscoveredServer[]): Choice[] {
	const local = servers.map(({ provider, url, models }) => ({
		value: serverPrefix + provider,
		label: `Use ${labelOf(provider)}`,
		description: `${plural(models.length, "model")} at ${url}`,
	}));
	const look = {
		value: "look",
		label: "Look for a local server",
		description: "Ollama, LM Studio, llama.cpp",
	};
	return [
		{ value: "login", label: "Log in", description: "with a subscription" },
		{ value: "key", label: "Enter an API key", description: "Anthropic, OpenAI, Google and many others" },
		...(local.length > 0 ? local : [look]),
		{
			value: "demo",
			label: "Try the demo",
			description: "works offline, no key needed; or just start typing",
		},
	];
}

async function lookAgain(host: InteractiveHost): Promise<DiscoveredServer[]> {
	const discoveredServers = await findServers(host.registry);
	if (discoveredServers.length === 0) host.notify(await noServerNotice(host.registry), "warning");
	return discoveredServers;
}

/** Names what was tried, since a server may be there under another address. */
async function noServerNotice(registry: InteractiveHost["registry"]): Promise<string> {
	const servers = await triedServers(registry);
	const tried = servers.map(({ provider, root }) => `${labelOf(provider)} at ${root}`);
	return `No local model server found (tried ${tried.join(", ")}). Start one and try again.`;
}

/** Returns whether there is a model now. */
async function go(
	host: InteractiveHost,
	way: string,
	servers: readonly DiscoveredServer[],
): Promise<boolean> {
	const server = servers.find(({ provider }) => way === serverPrefix + provider);
	if (server) return useServer(host, server);
	const known = await knownOffers(host);
	const provider = await connectOneOf(
		host,
		known.filter(({ kind }) => kind === way),
	);
	if (provider === undefined) return false;
	await leaveDemo(host, provider);
	await openModels(host, provider);
	return true;
}

/** Continues with the provider's default if the demo was a fallback; a selected model stays. */
export async function leaveDemo(host: InteractiveHost, provider: string): Promise<void> {
	if (!isDemo(host.session.model)) return;
	const model = host.registry.of(provider).find((each) => host.registry.isAvailable(each));
	if (model) host.setModel(await host.models.ready(provider, model.id));
}

/** Returns whether a model was chosen; if there is only one, the user is not asked. */
async function useServer(host: InteractiveHost, { provider, models }: DiscoveredServer): Promise<boolean> {
	const names = models.map(({ id, name }) => ({ value: id, label: name }));
	const [only] = names;
	const id = names.length === 1 ? only?.value : await host.ask.select("Which model?", names);
	if (id === undefined) return false;
	host.registry.add(...models);
	host.setModel(await host.models.ready(provider, id));
	return true;
}
