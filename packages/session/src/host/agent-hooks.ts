/** What hooks and extensions decide about agents: whether one is opened, with which model, and whether it may stop. */
import type { Behavior, SessionHandle } from "../run/behavior.ts";
import { UserError } from "../run/user-error.ts";
import { roleOf } from "@tau/config/models";
import type { AgentSpec } from "./children.ts";
import { limits } from "./limits.ts";

/** An agent as hooks know it. */
export interface HookedAgent {
	readonly id: string;
	readonly type: string;
	/** Of its own conversation; undefined if it is not stored. */
	readonly sessionFile: string | undefined;
}

/** Names of models in the order of preference, and the role that they come from. */
export interface AgentModels {
	readonly names: readonly string[];
	readonly role: string | undefined;
}

export interface AgentHook {
	/** Before an agent is opened: why it must not be, or names of other models. */
	before?(
		agent: Omit<HookedAgent, "sessionFile">,
		models: AgentModels,
	): Promise<{ block?: string; model?: string | undefined } | undefined>;
	/** Before its first request: what the agent has to know. */
	starting?(agent: HookedAgent, signal: AbortSignal | undefined): Promise<string | undefined>;
	/** The agent would stop: why it has to continue. */
	stopping?(
		agent: HookedAgent,
		about: { lastText: string; isContinued: boolean },
		signal: AbortSignal | undefined,
	): Promise<string | undefined>;
}

/** Returns the model that the agent is opened with; rejects with a `UserError` if a hook forbids it. */
export async function askBefore(
	hooks: readonly AgentHook[],
	id: string,
	spec: AgentSpec,
	parentModel: string,
): Promise<AgentSpec["model"]> {
	let { model } = spec;
	for (const hook of hooks) {
		const answer = await hook.before?.({ id, type: typeOf(spec) }, modelsOf(model, parentModel));
		if (answer?.block !== undefined) throw new UserError(answer.block);
		model = answer?.model ?? model;
	}
	return model;
}

/** Tells hooks of the start and the end of each run of an agent, and applies what they answer. */
export function followAgentHooks(hooks: readonly AgentHook[], agent: () => HookedAgent): Behavior {
	return {
		name: "agent-hooks",
		attach(session) {
			using owned = new DisposableStack();
			let hasStarted = false;
			let continued = 0;
			owned.use(
				session.hooks.preparers.add(async () => {
					if (hasStarted) return undefined;
					hasStarted = true;
					const asked = hooks.map((hook) => hook.starting?.(agent(), session.signal));
					const texts = (await Promise.all(asked)).filter((text) => text !== undefined);
					return { messages: texts.map((text) => hookMessage("SubagentStart", text)) };
				}),
			);
			owned.use(
				session.onBefore(["agent_end"], async () => {
					if (session.isAborted || continued >= limits.hookContinuations) return;
					const lastText = lastAnswer(session);
					if (lastText === undefined) return;
					const about = { lastText, isContinued: continued > 0 };
					const asked = hooks.map((hook) => hook.stopping?.(agent(), about, session.signal));
					const reasons = (await Promise.all(asked)).filter((reason) => reason !== undefined);
					if (reasons.length === 0 || session.isAborted) return;
					continued++;
					await session.deliver(hookMessage("SubagentStop", reasons.join("\n")), "followUp");
				}),
			);
			return owned.move();
		},
	};
}

function typeOf({ agent, name }: AgentSpec): string {
	return agent ?? name;
}

export function hookedAgent(id: string, spec: AgentSpec, sessionFile: string | undefined): HookedAgent {
	return { id, type: typeOf(spec), sessionFile };
}

function modelsOf(model: AgentSpec["model"], parentModel: string): AgentModels {
	if (model === undefined) return { names: [parentModel], role: undefined };
	if (typeof model !== "string") return { names: [`${model.provider}/${model.id}`], role: undefined };
	const names = model.split(",").map((name) => name.trim());
	return { names, role: roleOf(names[0] ?? "")?.role };
}

/** Undefined after an answer that failed: nothing is left to continue. */
function lastAnswer({ state }: SessionHandle): string | undefined {
	const last = state.messages.findLast(({ role }) => role === "assistant");
	if (last?.role !== "assistant" || last.stopReason === "error" || last.stopReason === "aborted")
		return undefined;
	return last.content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

function hookMessage(event: string, text: string) {
	return {
		role: "custom" as const,
		customType: "hook",
		content: `[${event} hook] ${text}`,
		display: true,
		timestamp: Date.now(),
	};
}
