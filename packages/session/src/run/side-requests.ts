/** Requests beside the conversation, which behaviors make with its key and its hooks. */
import type { AgentMessage, LoopState } from "@tau/agent";
import {
	accessOptions,
	modelAt,
	type AssistantMessage,
	type Context,
	type Model,
	type StreamOptions,
} from "@tau/ai";

import type { SessionHandle, SideTurn } from "./behavior.ts";
import { convertToLlm } from "./convert-to-llm.ts";
import type { RequestParts, RunHooks } from "./run-hooks.ts";

/** Requests of behaviors, which leave the conversation as it is. */
export function sideRequests(
	loop: Pick<LoopState, "model" | "state">,
	hooks: RunHooks,
	parts: RequestParts,
): Pick<SessionHandle, "ask" | "nextRequest" | "sideTurn" | "expectBreak"> {
	return {
		expectBreak: (cause) => parts.prefix.expect(cause),
		sideTurn: ({ model = loop.model, ...turn }) => sideTurn(model, parts, hooks, turn),
		ask: (context, options, model = loop.model) => requestBeside(model, parts, context, options),
		nextRequest: async (signal) => {
			const { messages, systemPrompt, tools, thinkingLevel: reasoning } = loop.state;
			const { sessionId, sent = { systemPrompt, tools: [...tools] } } = parts;
			return {
				context: { ...sent, messages: convertToLlm(await hooks.context(withoutOpenCalls(messages), signal)) },
				options: { reasoning, ...(sessionId ? { sessionId: sessionId() } : {}) },
			};
		},
	};
}

/** While tools run, their calls have no results, and servers reject a call without its result. */
export function withoutOpenCalls(messages: readonly AgentMessage[]): readonly AgentMessage[] {
	const last = messages.findLastIndex(({ role }) => role === "assistant");
	const message = messages[last];
	if (message?.role !== "assistant") return messages;
	const results = new Set(
		messages.slice(last).flatMap((each) => (each.role === "toolResult" ? [each.toolCallId] : [])),
	);
	const isOpen = message.content.some((part) => part.type === "toolCall" && !results.has(part.id));
	return isOpen ? messages.slice(0, last) : messages;
}

async function sideTurn(
	model: Model,
	{ credentials, stream }: RequestParts,
	hooks: RunHooks,
	{ context, options = {}, signal, isPing = false, onText }: Omit<SideTurn, "model">,
): Promise<AssistantMessage> {
	for (const watch of hooks.sideTurns) watch.before();
	const access = await credentials(model);
	const headers = await hooks.headers(access.headers ?? {});
	const stop = new AbortController();
	const request = hooks.changed({
		model: modelAt(model, access),
		context,
		options: {
			...options,
			...accessOptions({ ...access, headers }),
			signal: AbortSignal.any([signal, stop.signal]),
		},
		stream,
	});
	const answering = request.stream(request.model, request.context, request.options);
	try {
		for await (const event of answering) {
			if (isPing && event.type !== "start") stop.abort();
			if (event.type === "text_delta") await onText?.(event.delta);
		}
	} catch (error) {
		stop.abort();
		throw error;
	}
	const answer = await answering.result();
	for (const watch of hooks.sideTurns) watch.after(answer);
	return answer;
}

/** One request beside the conversation, with the key of the model. */
async function requestBeside(
	model: Model,
	{ credentials, stream }: RequestParts,
	context: Context,
	options: StreamOptions,
): Promise<AssistantMessage> {
	const access = await credentials(model);
	return await stream(modelAt(model, access), context, { ...options, ...accessOptions(access) }).result();
}
