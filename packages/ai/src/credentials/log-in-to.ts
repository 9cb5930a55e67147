/** Logs in to a provider for a caller that stores the tokens itself: nothing is stored here. */
import type { Env } from "@tau/utils";

import type { LoginInteraction } from "./oauth/interaction.ts";
import { CredentialError, type NewCredential } from "./types.ts";

/** Throws a `CredentialError` with the reason. */
export async function logInTo(
	provider: string,
	interaction: LoginInteraction,
	signal: AbortSignal,
	env: Env = process.env,
): Promise<NewCredential> {
	const { login } = await import("./oauth/index.ts");
	const result = await login(await flowOf(provider, env), interaction, signal);
	if (result.ok) return result.credential;
	throw new CredentialError(result.message);
}

/** New tokens for old ones. Throws an error with the reason. */
export async function renewLogin(
	provider: string,
	refresh: string,
	env: Env = process.env,
): Promise<NewCredential> {
	const { renew } = await import("./oauth/index.ts");
	const now = Date.now();
	const credential = {
		id: "",
		provider,
		kind: "oauth" as const,
		access: "",
		refresh,
		restsUntil: 0,
		strikes: 0,
		createdAt: now,
		lastUsedAt: now,
		revision: 0,
	};
	return { refresh, ...(await renew(await flowOf(provider, env), credential, now)) };
}

async function flowOf(provider: string, env: Env) {
	const { findFlow } = await import("./oauth/index.ts");
	const flow = findFlow(provider, env);
	if (flow) return flow;
	throw new CredentialError(`There is no login for ${provider}.`);
}
