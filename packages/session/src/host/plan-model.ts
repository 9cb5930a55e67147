/** In the mode `plan`, the session uses the model of the role `plan`, where the user has set one. */
import type { Model, ThinkingLevel } from "@tau/ai";

import { chosenForRole, selector, type ModelRegistry } from "@tau/config/models";
import type { Behavior } from "../run/behavior.ts";
import type { SessionHost } from "./session-host.ts";

interface Switched {
	before: Model;
	level: ThinkingLevel;
	to: string;
}

/** A session that moves keeps its model, and what it had before. */
const switched = new WeakMap<SessionHost, Switched>();

export function planModel(host: SessionHost, registry: ModelRegistry): Behavior {
	return {
		name: "plan-model",
		attach(session) {
			using owned = new DisposableStack();
			const leaveIfDone = async (): Promise<void> => {
				const current = switched.get(host);
				if (current && !isPlanning(host)) await leave(host, current);
			};
			owned.use(
				session.beforePrompt(async () => {
					if (isPlanning(host) && !switched.has(host)) await enter(host, registry);
					await leaveIfDone();
				}),
			);
			// A plan that was approved is carried out in the same run, by the session's own model.
			owned.use(session.onAfter(["turn_end"], () => leaveIfDone()));
			return owned.move();
		},
	};
}

function isPlanning({ policy }: SessionHost): boolean {
	return policy?.mode === "plan";
}

/** The log says what the model is for: a session that is resumed has its own again. */
async function enter(host: SessionHost, registry: ModelRegistry): Promise<void> {
	const { model: before, thinkingLevel: level } = host.session.state;
	const choice = chosenForRole("plan", registry);
	if (!choice || selector(choice.model) === selector(before)) return;
	switched.set(host, { before, level, to: selector(choice.model) });
	await host.apply({ type: "model", model: choice.model, role: "plan" });
	if (choice.thinking) await host.apply({ type: "thinking", level: choice.thinking });
	await host.notice(`Planning with ${selector(choice.model)} (modelRoles.plan).`, "info");
}

/** A model that the user has chosen since stays. */
async function leave(host: SessionHost, { before, level, to }: Switched): Promise<void> {
	switched.delete(host);
	if (selector(host.session.model) !== to) return;
	await host.apply({ type: "model", model: before });
	await host.apply({ type: "thinking", level });
	await host.notice(`Continuing with ${selector(before)}.`, "info");
}
