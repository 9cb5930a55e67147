/** The models that the server of an extension's provider lists, where the provider asks it. */
import { abortable, log, withTimeout } from "@tau/utils";

import { limits } from "../support/limits.ts";
import type {
	ExtensionProvider,
	OAuthCredentials,
	ProviderModelConfig,
	RefreshModelsContext,
} from "../api/provider-types.ts";

interface Server {
	name: string;
	config: ExtensionProvider;
	apiKey: string | undefined;
	/** What is stored of its login. */
	credentials: OAuthCredentials | undefined;
	stop: AbortSignal;
}

type Models = readonly ProviderModelConfig[];

/** Never rejects: a server that does not answer leaves the models that are known. */
export async function liveModels(server: Server, onFound: (models: Models) => void): Promise<void> {
	const { refreshModels, fetchDynamicModels } = server.config;
	if (!refreshModels && !fetchDynamicModels) return;
	const { name, stop } = server;
	using deadline = withTimeout(stop, limits.modelListMs, `${name} did not list its models in time`);
	try {
		const models = await abortable(ask(server, deadline.signal), deadline.signal);
		if (!stop.aborted) onFound(models);
	} catch (error) {
		if (!stop.aborted)
			log.warn("the models of a provider could not be listed", { provider: name, reason: String(error) });
	}
}

async function ask({ config, apiKey, credentials }: Server, signal: AbortSignal): Promise<Models> {
	const { refreshModels, fetchDynamicModels, models = [], baseUrl } = config;
	if (refreshModels) {
		const context: RefreshModelsContext = {
			signal,
			allowNetwork: true,
			force: false,
			...(baseUrl === undefined ? {} : { baseUrl }),
			...(credentials ? { credential: credentials } : {}),
			async publish({ update }) {
				update?.();
				return true;
			},
		};
		return refreshModels.call(config, context);
	}
	const live = (await fetchDynamicModels?.call(config, apiKey ?? credentials?.access)) ?? [];
	return [...live, ...models.filter(({ id }) => !live.some((model) => model.id === id))];
}
