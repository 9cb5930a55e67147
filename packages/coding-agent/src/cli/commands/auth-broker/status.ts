/** `tau auth-broker status`: whether the broker that is set answers, accepts the token, and what it lends. */
import { BrokerClient, BrokerError, readSnapshot } from "@tau/ai/broker";
import { configuredBroker } from "@tau/config/models";

import type { Args } from "../../args.ts";
import { exitCodes } from "../../exit-codes.ts";
import { loadSettings } from "../../launch/load-settings.ts";
import { printError } from "../../print-error.ts";
import { jsonLine, printed } from "../sessions/output.ts";

export interface BrokerState {
	url: string;
	ok: boolean;
	version?: string;
	/** By provider: how many credentials the broker lends. */
	providers?: Record<string, number>;
	problem?: string;
}

const statusMs = 5_000;

export async function brokerStatus(args: Args): Promise<number> {
	const access = await configuredBroker(process.env, await loadSettings(args));
	const isJson = args.flags.has("json");
	if (!access) {
		const advice = "Set TAU_AUTH_BROKER_URL or auth.broker.url to use one; tau auth-broker serve is one.";
		if (isJson) await printed(jsonLine({ ok: false, problem: "no auth broker is set" }));
		else printError(`no auth broker is set. ${advice}`);
		return exitCodes.failed;
	}
	const state = await brokerState(access);
	if (isJson) await printed(jsonLine(state));
	else if (state.problem !== undefined) printError(state.problem);
	else await printed(`${describe(state)}\n`);
	return state.ok ? exitCodes.answered : exitCodes.failed;
}

export async function brokerState(access: { url: string; token: string }): Promise<BrokerState> {
	const { url } = access;
	const client = new BrokerClient(access, process.env);
	try {
		const health = await client.ask("/v1/healthz", { timeoutMs: statusMs });
		const snapshot = readSnapshot((await client.ask("/v1/snapshot", { timeoutMs: statusMs })) ?? {});
		if (!snapshot) throw new BrokerError("invalid", `What answers at ${url} is not an auth broker.`);
		const names = snapshot.rows.map(({ provider }) => provider).toSorted();
		const providers: Record<string, number> = {};
		for (const name of names) providers[name] = (providers[name] ?? 0) + 1;
		const version = typeof health?.version === "string" ? { version: health.version } : {};
		return { url, ok: true, ...version, providers };
	} catch (error) {
		if (!(error instanceof BrokerError)) throw error;
		return { url, ok: false, problem: error.message };
	}
}

export function describe({ url, version, providers = {} }: BrokerState): string {
	const lent = Object.entries(providers).map(([name, count]) => (count === 1 ? name : `${name} ×${count}`));
	return `${url}${version === undefined ? "" : ` (version ${version})`} lends ${lent.join(", ") || "nothing yet"}.`;
}
