/** Asks a provider whether it accepts a key, by the request that costs nothing: its list of models. */
import { providerOf } from "@tau/ai";
import { envFlag, type Env } from "@tau/utils";

import type { ModelRegistry } from "../model-registry.ts";
import { askServer } from "./ask.ts";
import { targetOf, type DiscoveryTarget } from "./target.ts";

/** Unknown: the provider did not answer, or its list says nothing about keys. */
export type KeyCheck = "accepted" | "rejected" | "unknown";

/** Never rejects, and takes no longer than a list of models may. */
export async function checkKey(
	registry: ModelRegistry,
	provider: string,
	key: string,
	env: Env = process.env,
): Promise<KeyCheck> {
	const target = targetOf(provider, registry, env);
	const request = target && withKey(target, key);
	if (!request || envFlag("TAU_OFFLINE", env)) return "unknown";
	const { kind } = await askServer(request);
	return kind === "rejected" ? kind : kind === "list" ? "accepted" : "unknown";
}

/** The key as the provider expects it; other protocols refuse a correct key that comes in the wrong header. */
function withKey({ apiKey: _, ...target }: DiscoveryTarget, key: string): DiscoveryTarget | undefined {
	if (target.api === "openai-completions" || target.api === "openai-responses")
		return { ...target, apiKey: key };
	if (target.api !== "anthropic-messages") return undefined;
	if (providerOf(target.provider)?.auth === "bearer") return { ...target, apiKey: key };
	const headers = { "x-api-key": key, "anthropic-version": "2023-06-01", ...target.headers };
	return { ...target, headers };
}
