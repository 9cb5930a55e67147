/** The models that a session can change to. */
import type { Model, ThinkingLevel } from "@tau/ai";
import { UsageError } from "@tau/utils";

import { chooseModel } from "../models/choose-model.ts";
import { selector } from "../models/model-resolver.ts";
import { scopeOf, type ScopedModel } from "../models/model-scope.ts";
import type { UsableModels } from "../models/usable-models.ts";
import type { SessionParts } from "./parts.ts";

export function hostModels({
	models,
	registry,
	settings,
}: Pick<SessionParts, "models" | "registry" | "settings">): UsableModels {
	let scope: readonly ScopedModel[] | undefined;
	let patterns = models;
	return {
		available: () => registry.available(),
		scoped: () => {
			scope ??= scopeOf(patterns ?? registry.settings.enabledModels, registry).models;
			return scope;
		},
		rescope() {
			// The user's choice of the moment replaces that of the command line.
			patterns = settings.get("enabledModels");
			scope = undefined;
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

interface NextModel {
	model: Model;
	thinking: ThinkingLevel | undefined;
	isScoped: boolean;
}

/** The next model when the user cycles: within the scope if there is one, else of all. Undefined if there is no other. */
export function nextModel(models: UsableModels, current: Model, step: 1 | -1): NextModel | undefined {
	const available = models.available();
	const scoped = models.scoped().filter(({ model }) => available.some((each) => isSame(each, model)));
	const isScoped = scoped.length > 0;
	const choices = isScoped ? scoped : available.map((model) => ({ model, thinking: undefined }));
	const at = choices.findIndex(({ model }) => isSame(model, current));
	// The first choice follows a model that is not among them, in either direction.
	const next = choices[at < 0 ? 0 : (at + step + choices.length) % choices.length];
	if (!next || isSame(next.model, current)) return undefined;
	return { model: next.model, thinking: next.thinking, isScoped };
}

function isSame(one: Model, other: Model): boolean {
	return one.provider === other.provider && one.id === other.id;
}
