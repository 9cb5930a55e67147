/** Which model comes next when the user cycles through them. */
import type { Model, ThinkingLevel } from "@tau/ai";

import type { UsableModels } from "../models/usable-models.ts";

export interface NextModel {
	model: Model;
	thinking: ThinkingLevel | undefined;
	isScoped: boolean;
}

/** Of those that the user limited the choice to, else of all; undefined where there is no other. */
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
