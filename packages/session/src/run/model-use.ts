/** Goes on with another model or another thinking level, and keeps in the log that it did. */

import type { AgentSession, SessionManager } from "../index.ts";
import { fittingLevel, type Model, type ThinkingLevel } from "@tau/ai";

import type { UsableModels } from "../models/usable-models.ts";

interface Talk {
	readonly session: AgentSession;
	readonly log: SessionManager;
}

export function useModel(talk: Talk, model: Model): void {
	talk.session.setModel(model);
	talk.log.appendModelChange(model.provider, model.id);
	useLevel(talk, talk.session.state.thinkingLevel);
}

/** The level becomes one that the model has. */
export function useLevel({ session, log }: Talk, level: ThinkingLevel): void {
	const { model, thinkingLevel } = session.state;
	const fitting = fittingLevel(model, level);
	if (fitting === thinkingLevel) return;
	session.setThinkingLevel(fitting);
	log.appendThinkingLevelChange(fitting);
}

/** The next of those that the person limited the choice to, else of all; undefined where there is no other. */
export async function cycleModel(
	talk: Talk & { readonly models: UsableModels },
	step: 1 | -1 = 1,
): Promise<{ model: Model; isScoped: boolean } | undefined> {
	const { models, session } = talk;
	const usable = models.available();
	const isUsable = (model: Model): boolean => usable.some((each) => isSame(each, model));
	const scoped = models.scoped().filter(({ model }) => isUsable(model));
	const isScoped = scoped.length > 0;
	const choices = isScoped ? scoped : usable.map((model) => ({ model, thinking: undefined }));
	const at = choices.findIndex(({ model }) => isSame(model, session.model));
	// Of a model that is not among them, the first one is next in either direction.
	const next = choices[at < 0 ? 0 : (at + step + choices.length) % choices.length];
	if (!next || isSame(next.model, session.model)) return undefined;
	const model = await models.ready(next.model.provider, next.model.id);
	useModel(talk, model);
	if (next.thinking) useLevel(talk, next.thinking);
	return { model, isScoped };
}

function isSame(one: Model, other: Model): boolean {
	return one.provider === other.provider && one.id === other.id;
}
