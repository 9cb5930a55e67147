/** Sends the model a question with the whole conversation as context, and stores nothing of it in the session but its cost. */
import type { AssistantMessage, Context, Message } from "@tau/ai";
import { withTimeout } from "@tau/utils";
import type { AgentSession } from "@tau/session";
import { convertToLlm, withoutOpenCalls } from "@tau/session/run";

import { limits } from "../support/limits.ts";
import type { BoundSession } from "./extension-session.ts";

export interface EphemeralTurnOptions {
	promptText: string;
	/** Side turns before this one; they are not in the conversation either. */
	history?: readonly Message[];
	/** Without the tools; with them, no call is run all the same. */
	tools?: false;
	maxTokens?: number;
	/** What would be sent must not be longer than this. */
	maxContextBytes?: number;
	/** Waited for, in order; what it throws ends the answer. */
	onTextDelta?(delta: string): void | Promise<void>;
	signal?: AbortSignal;
}

export interface EphemeralTurnResult {
	replyText: string;
	assistantMessage: AssistantMessage;
}

/** A handler that is called for a side turn could start another, which could do the same. */
const busy = new WeakSet<AgentSession>();

/** Rejects with why there is no answer. */
export async function ephemeralTurn(
	bound: BoundSession,
	options: EphemeralTurnOptions,
): Promise<EphemeralTurnResult> {
	const { session, handle, log } = bound;
	if (busy.has(session)) throw new Error("A side turn is already running in this session.");
	busy.add(session);
	try {
		using deadline = withTimeout(
			AbortSignal.any([session.signal, options.signal].filter((signal) => signal !== undefined)),
			limits.summaryMs,
			"the side turn timed out",
		);
		const context = await contextOf(bound, options, deadline.signal);
		const { maxTokens, onTextDelta } = options;
		const assistantMessage = await handle.sideTurn({
			context,
			options: maxTokens === undefined ? {} : { maxTokens },
			signal: deadline.signal,
			onText: onTextDelta,
		});
		const { stopReason, errorMessage, content, provider, model, usage } = assistantMessage;
		if (usage.totalTokens > 0) {
			handle.recordUsage("side-turn", assistantMessage);
			log.appendUsage("side-turn", provider, model, usage);
		}
		if (stopReason === "error" || stopReason === "aborted")
			throw new Error(errorMessage ?? "The side turn was cancelled.");
		const replyText = content.map((part) => (part.type === "text" ? part.text : "")).join("");
		return { replyText, assistantMessage };
	} finally {
		busy.delete(session);
	}
}

async function contextOf(
	{ session, handle }: BoundSession,
	{ promptText, history = [], tools, maxContextBytes }: EphemeralTurnOptions,
	signal: AbortSignal,
): Promise<Context> {
	const { messages, systemPrompt, tools: all } = session.state;
	const sent = await handle.hooks.context(withoutOpenCalls(messages), signal);
	const context: Context = {
		systemPrompt,
		messages: [
			...convertToLlm(sent),
			...structuredClone(history),
			{ role: "user", content: promptText, timestamp: Date.now() },
		],
		...(tools === false
			? {}
			: {
					tools: all.map(({ name, description, parameters }) => ({ name, description, parameters })),
				}),
	};
	const bytes = maxContextBytes === undefined ? 0 : Buffer.byteLength(JSON.stringify(context));
	if (maxContextBytes !== undefined && bytes > maxContextBytes)
		throw new Error(`The side turn would send ${bytes} bytes; at most ${maxContextBytes} are allowed.`);
	return context;
}
