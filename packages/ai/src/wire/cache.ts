/** Helps a provider to find the prefix of a conversation again: how long it is cached, and on which machine. */
import { env, type Env } from "@tau/utils";

import type { CacheRetention, Model, StreamOptions } from "../types.ts";

/** The user's default for requests. */
export function retentionFrom(variables: Env): CacheRetention {
	const retention = env("TAU_CACHE_RETENTION", variables)?.trim().toLowerCase();
	return retention === "long" || retention === "none" ? retention : "short";
}

/** How long the prefix of this conversation is cached: `long` only if the provider supports it. */
export function cacheRetention(model: Model, options: StreamOptions): CacheRetention {
	const retention = options.cacheRetention ?? "short";
	return retention === "long" && model.compat?.supportsLongCacheRetention === false ? "short" : retention;
}

/** The cache mark of Anthropic and its gateways, on the last block to cache. */
export interface CacheMark {
	cache_control: { type: "ephemeral"; ttl?: "1h" };
}

export function cacheMark(model: Model, options: StreamOptions): CacheMark | undefined {
	const retention = cacheRetention(model, options);
	if (retention === "none") return undefined;
	return { cache_control: { type: "ephemeral", ...(retention === "long" ? { ttl: "1h" } : {}) } };
}

/**
 * Routes the requests of one conversation to the same machine, which has it in its cache. The vendors have no common
 * name, and ignore unknown ones.
 */
export function sessionHeaders(model: Model, options: StreamOptions): Record<string, string> {
	const { sessionId } = options;
	const { sendSessionAffinityHeaders, sendSessionIdHeader } = model.compat ?? {};
	if (!sessionId || !sendSessionAffinityHeaders || cacheRetention(model, options) === "none") return {};
	return {
		"x-session-affinity": sessionId,
		"x-session-id": sessionId,
		// Some proxies refuse a name with an underscore.
		...(sendSessionIdHeader === false ? {} : { session_id: sessionId }),
	};
}
