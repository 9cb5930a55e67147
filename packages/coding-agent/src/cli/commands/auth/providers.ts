/** The providers that can have a stored key or login, and the lookup of the one that the user means. */
import { providerOf, providers, services } from "@tau/ai";
import { dirs, nearest, UsageError } from "@tau/utils";
import { loadModelsFile } from "@tau/config/models";

import type { BroughtProvider } from "./extensions.ts";

/** `names` are further providers besides the table: logins, those of extensions, and stored ones. */
export async function findProvider(word: string, names: readonly string[]): Promise<string> {
	const built = providerOf(word.toLowerCase())?.id;
	const known = [...names, ...[...providers, ...services].map(({ id }) => id)];
	const match = known.find((id) => id === word) ?? built ?? known.find((id) => id === word.toLowerCase());
	if (match !== undefined) return match;
	const own = [...(await loadModelsFile(dirs().agent)).providers.keys()];
	if (own.includes(word)) return word;
	const near = nearest(word, new Set([...known, ...own]), 2);
	const hint =
		near.length > 0 ? `Did you mean ${near.join(" or ")}?` : "Run tau login to list providers with a login.";
	throw new UsageError(`Unknown provider "${word}". ${hint}`);
}

/** How a provider is called in a sentence. */
export function labelOf(provider: string, brought: readonly BroughtProvider[] = []): string {
	const known = [...services, ...brought].find(({ id }) => id === provider);
	return providerOf(provider)?.label ?? known?.label ?? provider;
}
