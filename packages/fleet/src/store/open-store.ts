/** Opens the store that the settings name. */
import { join } from "node:path";

import { envNumber, errorText, maskTokens, UsageError, type Env } from "@tau/utils";

import { SqliteStore } from "./sqlite-store.ts";
import type { TaskStore } from "./store.ts";

export interface StoreOptions {
	readonly url: string | undefined;
	/** Of this machine: for the store without an address. */
	readonly directory: string;
	readonly env: Env;
	/** How many tasks all workers together begin in a minute; 0 for any number. */
	readonly perMinute?: number | undefined;
}

/** The store may answer later: it restarts, or the network does. */
export class StoreAway extends UsageError {}

/** Rejects with a `UsageError` if it cannot be used, and with a `StoreAway` if it does not answer now. */
export async function openStore({ url, directory, env, perMinute = 0 }: StoreOptions): Promise<TaskStore> {
	// For tests, which cannot wait for half a minute.
	const leaseMs = envNumber("TAU_FLEET_LEASE_MS", env);
	if (url === undefined) return new SqliteStore({ path: join(directory, "tasks.db"), leaseMs, perMinute });
	if (!/^(?:redis|valkey)s?:\/\//.test(url))
		throw new UsageError(`fleet.url: "${maskTokens(url)}" is not redis://host:port or rediss://host:port.`);
	const { RedisStore } = await import("./redis-store.ts");
	return await RedisStore.open(url, { leaseMs, perMinute }).catch((error: unknown) => {
		if (error instanceof UsageError) throw error;
		throw new StoreAway(`fleet.url: ${maskTokens(url)} does not answer: ${errorText(error)}`);
	});
}
