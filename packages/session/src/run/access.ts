/** What requests of a session are sent with: the current key, and what behaviors make of the request. */
import type { Agent, AgentMessage } from "@tau/agent";
import type { AssistantMessage, Context, Model, StreamFunction, StreamOptions } from "@tau/ai";

import type { SessionHandle, SideTurn } from "./behavior.ts";
import { convertToLlm } from "./convert-to-llm.ts";
import type { PrefixWatch } from "./prefix-watch.ts";
import type { RunHooks } from "./run-hooks.ts";

export interface Access {
	apiKey?: string;
	headers?: Readonly<Record<string, string>>;
	/** Where the request goes, where the account decides that. */
	baseUrl?: string;
}

/** How a session makes requests. */
export interface RequestParts {
	/** Called before every request, because keys expire and rotate. */
	credentials(model: Model): Access | Promise<Access>;
	stream: StreamFunction;
	/** Sent with every request of the conversation, for the caches of servers. */
	sessionId?: (() => string) | undefined;
	/** The beginning of the last request, which the provider has in its cache; a run may have had its own prompt. */
	sent?: Pick<Context, "systemPrompt" | "tools">;
	readonly prefix: PrefixWatch;
}

/** The loop asks for the key right before it streams: what else belongs to the key goes along. */
export function withAccess(
	parts: RequestParts,
	hooks: RunHooks,
): Required<Pick<ConstructorParameters<typeof Agent>[0], "getApiKey" | "stream">> {
	const { credentials, stream, sessionId } = parts;
	let access: Access = {};
	const ask: StreamFunction = (model, context, options) =>
		stream(modelAt(model, access.baseUrl), context, {
			...(sessionId ? { sessionId: sessionId() } : {}),
			...options,
			...hooks.watching(),
			headers: { ...options?.headers, ...access.headers },
		});
	return {
		getApiKey: async (_provider, model) => {
			access = await credentials(model);
			access = { ...access, headers: await hooks.headers(access.headers ?? {}) };
			return access.apiKey;
		},
		stream: (model, context, options) => {
			const { systemPrompt, tools } = context;
			parts.prefix.observe(model, context);
			parts.sent = { ...(systemPrompt === undefined ? {} : { systemPrompt }), ...(tools ? { tools } : {}) };
			return hooks.wrapStream(ask)(model, context, options);
		},
	};
}

const elsewhere = new WeakMap<Model, Model>();

/** The same object for the same address: what was encoded for a model is reused. */
function modelAt(model: Model, baseUrl: string | undefined): Model {
	if (baseUrl === undefined || baseUrl === model.baseUrl) return model;
	const known = elsewhere.get(model);
	if (known?.baseUrl === baseUrl) return known;
	const moved = { ...model, baseUrl };
	elsewhere.set(model, moved);
	return moved;
}

/** Requests of behaviors, which leave the conversation as it is. */
export function sideRequests(
	agent: Agent,
	hooks: RunHooks,
	parts: RequestParts,
): Pick<SessionHandle, "ask" | "nextRequest" | "sideTurn" | "expectBreak"> {
	return {
		expectBreak: (cause) => parts.prefix.expect(cause),
		sideTurn: ({ model = agent.model, ...turn }) => sideTurn(model, parts, hooks, turn),
		ask: (context, options, model = agent.model) => requestBeside(model, parts, context, options),
		nextRequest: async (signal) => {
			const { messages, systemPrompt, tools, thinkingLevel: reasoning } = agent.state;
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
	const { apiKey, headers = {}, baseUrl } = await credentials(model);
	const sent = await hooks.headers(headers);
	const ask: StreamFunction = (requested, turnContext, more) =>
		stream(modelAt(requested, baseUrl), turnContext, {
			...more,
			...hooks.watching(),
		});
	const stop = new AbortController();
	const answering = hooks.wrapStream(ask)(model, context, {
		...options,
		headers: sent,
		signal: AbortSignal.any([signal, stop.signal]),
		...(apiKey === undefined ? {} : { apiKey }),
	});
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
	const { apiKey, headers, baseUrl } = await credentials(model);
	return await stream(modelAt(model, baseUrl), context, {
		...options,
		...(headers ? { headers } : {}),
		...(apiKey === undefined ? {} : { apiKey }),
	}).result();
}
