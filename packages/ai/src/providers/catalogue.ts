/** The built-in models: facts from the data file, joined with the row of their provider. */
import catalogue from "../data/models.json" with { type: "json" };
import type { Model } from "../types.ts";
import { providers } from "./table.ts";

export function builtinModels(): Model[] {
	return providers.flatMap((provider) =>
		catalogue.models
			.filter((model) => model.provider === provider.id)
			.map((model) => ({
				...model,
				input: model.input.filter((kind) => kind === "text" || kind === "image"),
				api: provider.api,
				baseUrl: provider.baseUrl,
				...(provider.compat ? { compat: provider.compat } : {}),
			})),
	);
}
