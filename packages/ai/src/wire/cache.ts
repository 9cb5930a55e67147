/** Helps a provider to find the prefix of a conversation again: how long it is cached, and on which machine. */
import { env, environment, type Env } from "@tau/utils/portable";

import type { Api, CacheRetention, Model, StreamOptions } from "../types.ts";

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

const minute = 60_000;

/** Protocols in which marks say what is cached: their vendors document how long, and that each use starts it anew. */
const markedApis: ReadonlySet<Api> = new Set(["anthropic-messages", "bedrock-converse-stream"]);

/**
 * How long the provider documents to keep a prefix after its last use; undefined where it keeps it as long as it likes
 * (OpenAI, Gemini), or not at all.
 */
export function cacheLifetimeMs(
	model: Model,
	retention: CacheRetention = retentionFrom(environment()),
): number | undefined {
	const isMarked = markedApis.has(model.api) || model.compat?.cacheControlFormat === "anthropic";
	if (!isMarked || model.cost.cacheWrite <= 0) return undefined;
	const kept = cacheRetention(model, { cacheRetention: retention });
	if (kept === "none") return undefined;
	return kept === "long" ? 60 * minute : 5 * minute;
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
