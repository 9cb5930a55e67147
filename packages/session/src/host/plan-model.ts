/** In the mode `plan`, the session uses the model of the role `plan`, where the user has set one. */
import type { Model, ThinkingLevel } from "@tau/ai";

import { chosenForRole, selector, type ModelRegistry } from "@tau/config/models";
import type { Behavior } from "../run/behavior.ts";
import type { Policy } from "../policy/index.ts";
import type { AgentSession } from "../run/agent-session.ts";
import type { Outcome, SessionChange } from "./session-state.ts";

/** What it needs of the session. */
interface Host {
	readonly policy: Pick<Policy, "mode"> | undefined;
	readonly session: Pick<AgentSession, "model" | "state">;
	apply(change: SessionChange): Promise<Outcome>;
	notice(message: string, level: "info"): Promise<void>;
}

interface Switched {
	before: Model;
	level: ThinkingLevel;
	to: string;
}

/** A session that moves keeps its model, and what it had before. */
const switched = new WeakMap<Host, Switched>();

export function planModel(host: Host, registry: ModelRegistry): Behavior {
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

function isPlanning({ policy }: Host): boolean {
	return policy?.mode === "plan";
}

/** The log says what the model is for: a session that is resumed has its own again. */
async function enter(host: Host, registry: ModelRegistry): Promise<void> {
	const { model: before, thinkingLevel: level } = host.session.state;
	const choice = chosenForRole("plan", registry);
	if (!choice || selector(choice.model) === selector(before)) return;
	switched.set(host, { before, level, to: selector(choice.model) });
	await host.apply({ type: "model", model: choice.model, role: "plan" });
	if (choice.thinking) await host.apply({ type: "thinking", level: choice.thinking });
	await host.notice(`Planning with ${selector(choice.model)} (modelRoles.plan).`, "info");
}

/** A model that the user has chosen since stays. */
async function leave(host: Host, { before, level, to }: Switched): Promise<void> {
	switched.delete(host);
	if (selector(host.session.model) !== to) return;
	await host.apply({ type: "model", model: before });
	await host.apply({ type: "thinking", level });
	await host.notice(`Continuing with ${selector(before)}.`, "info");
}
