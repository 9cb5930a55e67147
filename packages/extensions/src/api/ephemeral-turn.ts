/** Sends the model a question with the whole conversation as context, and stores nothing of it in the session. */
import type { AgentMessage } from "@tau/agent";
import type { AssistantMessage, Context, Message, StreamFunction } from "@tau/ai";
import { withTimeout } from "@tau/utils";
import type { AgentSession } from "@tau/session";
import { convertToLlm } from "@tau/session/run";

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
	const { session, handle } = bound;
	if (busy.has(session)) throw new Error("A side turn is already running in this session.");
	busy.add(session);
	try {
		using deadline = withTimeout(
			AbortSignal.any([session.signal, options.signal].filter((signal) => signal !== undefined)),
			limits.summaryMs,
			"the side turn timed out",
		);
		const context = await contextOf(bound, options, deadline.signal);
		const assistantMessage = await answer(bound, context, options, deadline.signal);
		handle.recordUsage(assistantMessage);
		const { stopReason, errorMessage, content } = assistantMessage;
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
	const sent = await handle.hooks.context(answered(messages), signal);
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

/** A tool that starts a side turn is in the middle of its own call, and servers reject a call without its result. */
function answered(messages: readonly AgentMessage[]): readonly AgentMessage[] {
	const last = messages.findLastIndex(({ role }) => role === "assistant");
	const message = messages[last];
	if (message?.role !== "assistant") return messages;
	const results = new Set(
		messages.slice(last).flatMap((each) => (each.role === "toolResult" ? [each.toolCallId] : [])),
	);
	const isOpen = message.content.some((part) => part.type === "toolCall" && !results.has(part.id));
	return isOpen ? messages.slice(0, last) : messages;
}

async function answer(
	{ session: { model }, handle: { hooks }, credentials, stream }: BoundSession,
	context: Context,
	{ maxTokens, onTextDelta }: EphemeralTurnOptions,
	signal: AbortSignal,
): Promise<AssistantMessage> {
	const { apiKey, headers = {}, baseUrl = model.baseUrl } = await credentials(model);
	const sent = await hooks.headers(headers);
	const ask: StreamFunction = (requestModel, turnContext, options) =>
		stream({ ...requestModel, baseUrl }, turnContext, { ...options, ...hooks.watching() });
	const stop = new AbortController();
	const answering = hooks.wrapStream(ask)(model, context, {
		headers: sent,
		signal: AbortSignal.any([signal, stop.signal]),
		...(apiKey === undefined ? {} : { apiKey }),
		...(maxTokens === undefined ? {} : { maxTokens }),
	});
	try {
		for await (const event of answering) if (event.type === "text_delta") await onTextDelta?.(event.delta);
	} catch (error) {
		stop.abort();
		throw error;
	}
	return await answering.result();
}
