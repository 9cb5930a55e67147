/** Finds the model servers that run on this machine, and goes on with a model of one. */
import type { ModelRegistry } from "@tau/session/models";
import type { DiscoveredServer } from "@tau/session/models/discovery";

import type { InteractiveHost } from "../host.ts";

/** Those that have a model. Every server has its own bound in time. */
export async function findServers(registry: ModelRegistry): Promise<DiscoveredServer[]> {
	const { discover, localTargets } = await import("@tau/session/models/discovery");
	const servers = await discover(localTargets(registry, process.env)).current();
	return servers.filter(({ models }) => models.length > 0);
}

/** Says whether a model was chosen; where there is only one, nobody is asked. */
export async function useServer(
	host: InteractiveHost,
	{ provider, models }: DiscoveredServer,
): Promise<boolean> {
	const names = models.map(({ id, name }) => ({ value: id, label: name }));
	const [only] = names;
	const id = names.length === 1 ? only?.value : await host.ask.select("Which model?", names);
	if (id === undefined) return false;
	host.registry.add(...models);
	host.setModel(await host.models.ready(provider, id));
	return true;
}
