/** What the environment says about a relay. */
import { dirs, env, UsageError, type Env } from "@tau/utils";

import { defaultPort } from "./address.ts";
import type { RelayOptions } from "./server.ts";

/** An address on the command line wins; RELAY_BIND is the name that omp's relay reads. */
export function relayOptions(from: Env, address?: string): RelayOptions {
	const away = secondsIn("TAU_RELAY_HOST_AWAY", from);
	const drain = secondsIn("TAU_RELAY_DRAIN", from);
	const vapid = env("TAU_RELAY_VAPID", from);
	const contact = env("TAU_RELAY_CONTACT", from) ?? "https://github.com/tau-agent/tau";
	const redis = listOf(env("TAU_RELAY_REDIS", from));
	return {
		bind: address ?? env("TAU_RELAY_BIND", from) ?? env("RELAY_BIND", from) ?? String(defaultPort),
		proxies: listOf(env("TAU_RELAY_PROXIES", from)),
		shares: env("TAU_RELAY_SHARES", from) ?? `${dirs(from).state}/relay`,
		...(redis.length > 0 && { redis }),
		...(vapid !== undefined && { push: { key: vapid, contact } }),
		...(away !== undefined && { hostAwayMs: away * 1000 }),
		...(drain !== undefined && { drainMs: drain * 1000 }),
	};
}

function secondsIn(name: string, from: Env): number | undefined {
	const text = env(name, from);
	if (text !== undefined && !/^\d{1,6}$/.test(text))
		throw new UsageError(`${name} is "${text}". Give seconds.`);
	return text === undefined ? undefined : Number(text);
}

function listOf(text: string | undefined): string[] {
	return (text ?? "")
		.split(",")
		.map((part) => part.trim())
		.filter((part) => part !== "");
}
