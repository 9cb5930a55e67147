/** Finds the models of servers: first from the cache, then from the servers themselves. */
import type { Model } from "@tau/ai";
import { envFlag } from "@tau/utils";

import { limits } from "../limits.ts";
import { askServer } from "./ask.ts";
import type { CachedList, DiscoveryCache } from "./cache.ts";
import type { ModelFacts } from "./facts.ts";
import type { DiscoveryTarget } from "./target.ts";

export interface DiscoveredServer {
	provider: string;
	/** The server's address as a user would write it. */
	url: string;
	isRunning: boolean;
	models: Model[];
}

export interface Discovery {
	/** The cached lists, for a screen that does not wait. */
	known(): Promise<DiscoveredServer[]>;
	/** The current lists; a fresh cached list counts as current. Every server has its own time limit. */
	current(signal?: AbortSignal): Promise<DiscoveredServer[]>;
}

export function discover(targets: readonly DiscoveryTarget[], cache?: DiscoveryCache): Discovery {
	return {
		known: () => Promise.all(targets.map(async (target) => found(target, await recent(target, cache)))),
		current: (signal) => Promise.all(targets.map((target) => ask(target, cache, signal))),
	};
}

async function ask(
	target: DiscoveryTarget,
	cache: DiscoveryCache | undefined,
	signal: AbortSignal | undefined,
): Promise<DiscoveredServer> {
	const before = await recent(target, cache);
	const lives = target.near ? limits.localListMs : limits.remoteListMs;
	if (before && Date.now() - before.at < lives) return found(target, before);
	if (!target.near && envFlag("TAU_OFFLINE")) return found(target, before);
	const answer = await askServer(target, signal);
	if (answer.kind === "silent") return found(target, before);
	if (answer.kind !== "list") {
		if (before) await cache?.forget(target);
		return found(target, undefined);
	}
	const list: CachedList = { at: Date.now(), models: answer.models };
	await cache?.write(target, list);
	return found(target, list);
}

async function recent(
	target: DiscoveryTarget,
	cache: DiscoveryCache | undefined,
): Promise<CachedList | undefined> {
	const cached = await cache?.read(target);
	const age = cached ? Date.now() - cached.at : Number.POSITIVE_INFINITY;
	// A clock that was set back must not make a list valid without end.
	return age >= 0 && age < limits.staleListMs ? cached : undefined;
}

function found(target: DiscoveryTarget, list: CachedList | undefined): DiscoveredServer {
	return {
		provider: target.provider,
		url: target.type === "openai" || target.type === "lm-studio" ? target.baseUrl : target.root,
		isRunning: list !== undefined,
		models: (list?.models ?? []).map((facts) => modelOf(target, facts)),
	};
}

function modelOf(target: DiscoveryTarget, facts: ModelFacts): Model {
	const contextWindow = target.contextWindow ?? facts.contextWindow ?? limits.defaultContextWindow;
	return {
		id: facts.id,
		name: facts.name ?? facts.id,
		api: target.api,
		provider: target.provider,
		baseUrl: target.baseUrl,
		reasoning: facts.reasoning ?? false,
		input: facts.images ? ["text", "image"] : ["text"],
		cost: facts.cost ?? { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
		contextWindow,
		maxTokens: Math.min(facts.maxTokens ?? limits.defaultMaxTokens, contextWindow),
		...(Object.keys(target.headers).length > 0 ? { headers: target.headers } : {}),
		...(target.compat ? { compat: target.compat } : {}),
	};
}
