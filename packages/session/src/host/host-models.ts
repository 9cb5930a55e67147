/** The models that a session can change to. */
import type { Model } from "@tau/ai";
import { UsageError } from "@tau/utils";

import { chooseModel } from "../models/choose-model.ts";
import { selector } from "../models/model-resolver.ts";
import { scopeOf, type ScopedModel } from "../models/model-scope.ts";
import type { UsableModels } from "../models/usable-models.ts";
import type { SessionParts } from "./parts.ts";

export function hostModels({ models, registry }: Pick<SessionParts, "models" | "registry">): UsableModels {
	let scope: readonly ScopedModel[] | undefined;
	return {
		available: () => registry.available(),
		scoped: () => {
			scope ??= scopeOf(models ?? registry.settings.enabledModels, registry).models;
			return scope;
		},
		ready: async (provider, id): Promise<Model> => {
			const pattern = `${provider}/${id}`;
			const { model } = await chooseModel({ model: pattern }, registry, process.env);
			// An explicit provider and id must match exactly.
			if (selector(model).toLowerCase() !== pattern.toLowerCase())
				throw new UsageError(`Model not found: ${pattern}. Did you mean ${selector(model)}?`);
			return model;
		},
	};
}
