/** Why a virtual model is asked, and what its router knows: the answers before, a failure, and the state of the branch. */
import type { AgentMessage } from "@tau/agent";
import { isVirtualModel, type AssistantMessage, type Context, type Model, type ThinkingLevel } from "@tau/ai";
import { log as logger } from "@tau/utils";
import type { SessionEvent } from "@tau/session";
import type { SessionManager } from "@tau/log";

import type { BoundSession } from "../api/extension-session.ts";
import type { Dispatch, ModelRoute } from "./virtual-models.ts";

/** Stored under pi's name, so that its sessions continue. */
export const virtualStateEntry = "pi.virtual-model-state";

interface Dispatched {
	model: Model;
	thinkingLevel?: ThinkingLevel;
}

export interface RouteRequest<S = unknown> extends Dispatched {
	thinkingLevel: ThinkingLevel;
	/** `direct`: not a turn of the conversation, such as a summary. */
	reason: "user" | "continuation" | "retry" | "direct";
	/** The model that answered last. */
	previous?: Dispatched;
	/** The failed model, if this is a retry. */
	failed?: Dispatched & { message: AssistantMessage };
	state?: S;
	/** With the system prompt as the first of them. */
	messages: readonly { role: string }[];
	signal?: AbortSignal;
}

export class VirtualRoutes implements Dispatch {
	readonly bound: () => BoundSession;
	/** Contexts of turns: all others come from outside of the conversation. */
	readonly #turns = new WeakSet<Context>();
	readonly #levels = new WeakMap<AssistantMessage, ThinkingLevel>();
	#failure: AssistantMessage | undefined;

	constructor(bound: () => BoundSession) {
		this.bound = bound;
	}

	noteTurn(context: Context): void {
		this.#turns.add(context);
	}

	onEvent(event: SessionEvent): void {
		if (event.type !== "message_end") return;
		const { message } = event;
		if (message.role === "assistant") this.#failure = message.failure ? message : undefined;
		else if (message.role === "user") this.#failure = undefined;
	}

	requestOf({ model, context }: { model: Model; context: Context }): ReturnType<Dispatch["requestOf"]> {
		const { session, log } = this.bound();
		const { messages } = session.state;
		const answered = messages.findLast(
			(message): message is AssistantMessage => message.role === "assistant" && !message.failure,
		);
		const previous = answered && this.#dispatched(answered);
		const about = previous ? { previous } : {};
		if (!this.#turns.has(context)) return { reason: "direct", ...about };
		const state = stateOf(log, model);
		const failed = this.#failure && this.#dispatched(this.#failure);
		return {
			reason: this.#failure ? "retry" : isAfterUser(messages) ? "user" : "continuation",
			...about,
			...(this.#failure && failed ? { failed: { ...failed, message: this.#failure } } : {}),
			...(state === undefined ? {} : { state }),
		};
	}

	onRoute({ provider, id }: Model, request: RouteRequest, { state }: ModelRoute): void {
		if (request.reason === "direct" || state === undefined || state === request.state) return;
		try {
			const data = { provider, modelId: id, state: structuredClone(state) };
			this.bound().log.appendCustomEntry(virtualStateEntry, data);
		} catch (error) {
			// It cannot be stored: the router starts anew the next time, and the answer is not affected.
			logger.warn("the state of a virtual model was not kept", { model: id, reason: String(error) });
		}
	}

	onAnswer(message: AssistantMessage, level: ThinkingLevel): void {
		this.#levels.set(message, level);
	}

	/** Undefined if the model is gone, or none was called. */
	#dispatched(message: AssistantMessage): Dispatched | undefined {
		const model = this.bound().registry.find(`${message.provider}/${message.model}`);
		const thinkingLevel = this.#levels.get(message);
		if (!model || isVirtualModel(model)) return undefined;
		return { model, ...(thinkingLevel === undefined ? {} : { thinkingLevel }) };
	}
}

function isAfterUser(messages: readonly AgentMessage[]): boolean {
	const last = messages.findLastIndex(({ role }) => role === "assistant" || role === "toolResult");
	return messages.slice(last + 1).some(({ role }) => role === "user");
}

function stateOf(log: SessionManager, { provider, id }: Model): unknown {
	const branch = log.getBranchHeads();
	for (const head of branch.toReversed()) {
		const entry = head.type === "custom" ? log.getEntry(head.id) : undefined;
		if (entry?.type !== "custom" || entry.customType !== virtualStateEntry) continue;
		const data = entry.data as { provider?: unknown; modelId?: unknown; state?: unknown } | undefined;
		if (data?.provider === provider && data.modelId === id) return data.state;
	}
	return undefined;
}
