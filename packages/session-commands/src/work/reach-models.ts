/** Whether models can be reached: the servers that run on this machine, and the keys of others. */
import type { ModelRegistry } from "@tau/config/models";
import type { DiscoveredServer } from "@tau/config/models/discovery";

export type { DiscoveredServer };

/** Those that have a model. Every server has its own time limit. */
export async function findServers(registry: ModelRegistry): Promise<DiscoveredServer[]> {
	const { discover, localTargets } = await import("@tau/config/models/discovery");
	const servers = await discover(localTargets(registry, process.env)).current();
	return servers.filter(({ models }) => models.length > 0);
}

/** Where it looks. */
export async function triedServers(registry: ModelRegistry): Promise<{ provider: string; root: string }[]> {
	const { localTargets } = await import("@tau/config/models/discovery");
	return localTargets(registry, process.env).map(({ provider, root }) => ({ provider, root }));
}

/** Whether a provider says that a key is wrong. */
export async function isRejected(registry: ModelRegistry, provider: string, key: string): Promise<boolean> {
	const { checkKey } = await import("@tau/config/models/discovery");
	return (await checkKey(registry, provider, key)) === "rejected";
}
