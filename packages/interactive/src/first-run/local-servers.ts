/** Finds the model servers that run on this machine, and selects a model of one. */
import type { ModelRegistry } from "@tau/config/models";
import type { DiscoveredServer } from "@tau/config/models/discovery";

import type { InteractiveHost } from "../host.ts";

/** Those that have a model. Every server has its own time limit. */
export async function findServers(registry: ModelRegistry): Promise<DiscoveredServer[]> {
	const { discover, localTargets } = await import("@tau/config/models/discovery");
	const servers = await discover(localTargets(registry, process.env)).current();
	return servers.filter(({ models }) => models.length > 0);
}

/** Returns whether a model was chosen; if there is only one, the user is not asked. */
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
