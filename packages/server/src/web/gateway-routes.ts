/** What a page shows of the gateway of this machine: whether it runs, its keys, and what they have used. */
import { existsSync } from "node:fs";

import type { Keys } from "@tau/gateway";
import { empty, HttpError, json } from "@tau/web/server";

import type { Route } from "./routes.ts";

/** How long a look at the gateway may take. */
const lookMs = 1_000;

export const gatewayRoutes: readonly Route[] = [
	{ method: "GET", path: "/api/gateway", handle: async () => json(await gatewayState()) },
	{
		method: "POST",
		path: "/api/gateway/keys/:id/revoke",
		handle: async ({ words: { id = "" } }) => {
			if (!(await withKeys((keys) => keys.revoke(id)))) throw new HttpError(404, "There is no such key.");
			return empty();
		},
	},
];

async function gatewayState(): Promise<object> {
	const { gatewayBind, ownerId } = await import("@tau/gateway");
	const url = `http://${gatewayBind}`;
	const [isRunning, known] = await Promise.all([
		isHealthy(url),
		withKeys(async (keys) => ({ keys: await keys.list(), owner: await keys.usage(ownerId) })),
	]);
	return { url, isRunning, ...known };
}

async function isHealthy(url: string): Promise<boolean> {
	try {
		return (await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(lookMs) })).ok;
	} catch {
		// Nothing listens there, or nothing that answers.
		return false;
	}
}

/** Undefined where no gateway was ever used: a page does not create its database. */
async function withKeys<T>(use: (keys: Keys) => Promise<T>): Promise<T | undefined> {
	const gateway = await import("@tau/gateway");
	const { ledgerPath, SqliteLedger } = gateway;
	if (!existsSync(ledgerPath())) return undefined;
	await using ledger = new SqliteLedger(ledgerPath());
	return await use(new gateway.Keys(ledger));
}
