/** The keys of services that tools send requests to: as for models, a stored one before one of the environment. */
import { serviceKey } from "@tau/ai";
import { KeySource } from "@tau/config/models";
import type { ServiceKeys } from "@tau/tools/tool";
import { env as readEnv } from "@tau/utils";

import type { SessionParts } from "./open-session.ts";

type Parts = Pick<SessionParts, "store" | "registry" | "env" | "hasOwnKey" | "model" | "onNotice">;

export function serviceKeys(
	{ store, registry, env, hasOwnKey, model: chosen, onNotice }: Parts,
	sessionId: string,
): ServiceKeys {
	// Keys of their own: how a search fares says nothing about the keys of the conversation.
	const overridden = hasOwnKey ? { overridden: chosen.provider } : {};
	const models = new KeySource({ store, registry, sessionId, onNotice, ...overridden });
	return {
		has: (provider) =>
			store.has(provider) ||
			serviceKey(provider, env) !== undefined ||
			(!registry.isDisabled(provider) && registry.apiKey(provider) !== undefined),
		address: (provider) => registry.of(provider)[0]?.baseUrl,
		variable: (name) => readEnv(name, env)?.trim() || undefined,
		async resolve(provider, signal) {
			const [model] = registry.of(provider);
			if (model) {
				const problem = await registry.unlock(provider, signal);
				if (problem !== undefined) throw new Error(problem);
				const { apiKey = "", headers, baseUrl = model.baseUrl } = await models.for(model);
				if (apiKey === "" && Object.keys(headers).length === 0) return undefined;
				return { key: apiKey, baseUrl, headers: { ...model.headers, ...headers } };
			}
			const stored = await store.resolve(provider, { signal });
			if (stored) return { key: stored.apiKey, kind: stored.kind, headers: {} };
			const found = serviceKey(provider, env);
			return found && { key: found.value, kind: "api_key", headers: {} };
		},
	};
}
