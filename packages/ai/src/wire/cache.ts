/** What lets a provider find the beginning of a conversation again: how long it is kept, and on which machine. */
import { env, type Env } from "@tau/utils";

import type { CacheRetention, Model, StreamOptions } from "../types.ts";

/** What the user wants where a request does not say. */
export function retentionFrom(variables: Env): CacheRetention {
	const wanted = env("TAU_CACHE_RETENTION", variables)?.trim().toLowerCase();
	return wanted === "long" || wanted === "none" ? wanted : "short";
}

/** How long the beginning of this conversation is kept: `long` only where the provider can. */
export function cacheRetention(model: Model, options: StreamOptions): CacheRetention {
	const wanted = options.cacheRetention ?? "short";
	return wanted === "long" && model.compat?.supportsLongCacheRetention === false ? "short" : wanted;
}

/** The mark of Anthropic, and of those in front of it, on a block up to which everything is to be kept. */
export interface CacheMark {
	cache_control: { type: "ephemeral"; ttl?: "1h" };
}

export function cacheMark(model: Model, options: StreamOptions): CacheMark | undefined {
	const retention = cacheRetention(model, options);
	if (retention === "none") return undefined;
	return { cache_control: { type: "ephemeral", ...(retention === "long" ? { ttl: "1h" } : {}) } };
}

/**
 * Brings the requests of one conversation to the same machine, which has it in its cache. The vendors have agreed on
 * no name, and pass over those that they do not know.
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
