/** Tau's providers as pi's newer versions hold them: `anthropicProvider()` and its like, and all of them together. */
import { builtinModels as catalogue, providers, type Provider } from "@tau/ai";
import type { NativeProvider } from "@tau/extensions/providers";

import { stream } from "./asking.ts";
import { createModels, createProvider } from "./collection.ts";
import { envApiKeyAuth } from "./credentials.ts";

function native({ id, label, baseUrl, keys, keyless }: Provider): NativeProvider {
	const fromEnv = envApiKeyAuth(label, keys);
	return createProvider({
		id,
		name: label,
		baseUrl,
		auth: {
			apiKey: {
				...fromEnv,
				resolve: async (input) => (await fromEnv.resolve(input)) ?? (keyless ? { auth: {} } : undefined),
			},
		},
		models: catalogue(id),
		api: { stream, streamSimple: stream },
	});
}

function builtinProviders(): NativeProvider[] {
	return providers.map(native);
}

/** The collection with all of them in it. */
export function builtinModels(options?: Parameters<typeof createModels>[0]): ReturnType<typeof createModels> {
	const all = createModels(options);
	for (const provider of builtinProviders()) all.setProvider(provider);
	return all;
}

/** `amazon-bedrock` is made by `amazonBedrockProvider`. */
export function providerFactories(): Record<string, () => NativeProvider> {
	return Object.fromEntries(
		providers.map((row) => {
			const name = row.id.replaceAll(/[-.](\w)/g, (_, letter: string) => letter.toUpperCase());
			return [`${name}Provider`, () => native(row)];
		}),
	);
}

/** What extensions get of it. */
export const providerExports = {
	builtinProviders,
	builtinModels,
};
