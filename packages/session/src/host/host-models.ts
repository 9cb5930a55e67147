/** The models that a session can change to. */
import { fittingLevel, type Model, type ThinkingLevel } from "@tau/ai";
import { UsageError } from "@tau/utils";

import { chooseModel, selector, scopeOf, type ScopedModel, type UsableModels } from "@tau/config/models";
import { loggedLevel } from "../run/session-model.ts";
import type { SessionParts } from "./parts.ts";
import type { SessionHost } from "./session-host.ts";

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
			// The user's current choice replaces that of the command line.
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

/** Continues with the model and the level of the log, as far as they are available. */
export async function restoreModel(host: SessionHost): Promise<void> {
	const { model } = host.log.buildSessionContext();
	const level = loggedLevel(host.log);
	if (model) {
		try {
			host.session.setModel(await host.models.ready(model.provider, model.modelId), "restore");
		} catch (error) {
			const { provider, id } = host.session.model;
			const why = error instanceof Error ? error.message : String(error);
			await host.notice(`Continuing the session with ${provider}/${id}. ${why}`);
		}
	}
	host.session.setThinkingLevel(fittingLevel(host.session.model, level ?? host.session.state.thinkingLevel));
}
