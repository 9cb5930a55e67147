/** Loads the demo model, with its information about connecting a real one. */
import { keyFrom, keyVariables, ownStream, providers, type Model } from "@tau/ai";
import type { Env } from "@tau/utils";
import type { ModelRegistry } from "@tau/config/models";

/**
 * Only when it may be needed: it is text and patterns that a real model has no use for. It answers by itself, because
 * what it knows of keys and servers is that of one session.
 */
export async function loadDemo(registry: ModelRegistry, env: Env): Promise<Model> {
	const { createDemoStream, demoModel } = await import("./index.ts");
	return {
		...demoModel,
		[ownStream]: createDemoStream(async () => {
			const { discover, localTargets } = await import("@tau/config/models/discovery");
			const servers = await discover(localTargets(registry, env)).current();
			return {
				keys: keys(env),
				servers: servers.map(({ provider, url, isRunning: found, models }) => ({
					name: provider,
					url,
					found,
					models: models.length,
				})),
				modelsFile: registry.modelsFile,
			};
		}),
	};
}

interface KeyFact {
	provider: string;
	variable: string;
	found: boolean;
}

/** Those that are present, and of the others only the makers: a list of sixty is too long to read. */
function keys(env: Env): KeyFact[] {
	return providers.flatMap((provider): KeyFact[] => {
		const resolvedKey = keyFrom(provider, env);
		if (resolvedKey) return [{ provider: provider.id, variable: resolvedKey.variable, found: true }];
		// Tokens that come before the key in the order are for users who have one already.
		const variable = keyVariables(provider, env).find((name) => name.endsWith("_KEY"));
		return provider.maker && variable !== undefined
			? [{ provider: provider.id, variable, found: false }]
			: [];
	});
}
