/** Opens the user's credentials: of this machine, or those that a broker lends. */
import { join } from "node:path";

import { CredentialStore, type BrokerAccess } from "@tau/ai";
import { dirs, env as readEnv, type Env } from "@tau/utils";

import type { Settings } from "../settings/index.ts";

export interface CredentialSources {
	env: Env;
	settings: Pick<Settings, "getWithoutProject">;
	/** Receives messages for the user. */
	onNotice(message: string): void;
	/** Another file than that of the user or the profile. */
	path?: string;
}

/** Throws a `CredentialError` if a broker is set and does not lend; without one, never. */
export async function openCredentialStore({
	env,
	settings,
	onNotice,
	path = credentialsPath(env),
}: CredentialSources): Promise<CredentialStore> {
	const broker = await configuredBroker(env, settings);
	return CredentialStore.open({ path, env, onNotice, ...(broker ? { broker } : {}) });
}

/** The broker that the user has set; undefined without one. Throws a `CredentialError` if it has no token. */
export async function configuredBroker(
	env: Env,
	settings: Pick<Settings, "getWithoutProject">,
): Promise<BrokerAccess | undefined> {
	const url = readEnv("TAU_AUTH_BROKER_URL", env) ?? settings.getWithoutProject("auth.broker.url");
	if (!url) return undefined;
	const { brokerAccess } = await import("@tau/ai/broker");
	return brokerAccess(url, settings.getWithoutProject("auth.broker.token"), env);
}

/** The file with the credentials of this machine, or of the profile in use. */
export function credentialsPath(env: Env = process.env): string {
	const { agent, profile } = dirs(env);
	return join(profile ?? agent, "agent.db");
}
