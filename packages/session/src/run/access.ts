/** What requests of a session are sent with: the key of the moment, and what behaviors make of the request. */
import type { Agent } from "@tau/agent";
import type { AssistantMessage, Context, Model, StreamFunction, StreamOptions } from "@tau/ai";

import type { SessionHandle } from "./behavior.ts";
import { convertToLlm } from "./convert-to-llm.ts";
import type { PrefixWatch } from "./prefix-watch.ts";
import type { RunHooks } from "./run-hooks.ts";

export interface Access {
	apiKey?: string;
	headers?: Record<string, string>;
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
		stream({ ...model, baseUrl: access.baseUrl ?? model.baseUrl }, context, {
			...(sessionId ? { sessionId: sessionId() } : {}),
			...options,
			...hooks.watching(),
			headers: { ...options?.headers, ...access.headers },
		});
	return {
		getApiKey: async (_provider, model) => {
			access = await credentials(model);
			if (!hooks.requests.isEmpty) access = { ...access, headers: await hooks.headers(access.headers ?? {}) };
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

/** Requests of behaviors, which leave the conversation as it is. */
export function requestsBeside(
	agent: Agent,
	hooks: RunHooks,
	parts: RequestParts,
): Pick<SessionHandle, "ask" | "nextRequest"> {
	return {
		ask: (context, options, model = agent.model) => requestBeside(model, parts, context, options),
		nextRequest: async (signal) => {
			const { messages, systemPrompt, tools, thinkingLevel: reasoning } = agent.state;
			const { sessionId, sent = { systemPrompt, tools: [...tools] } } = parts;
			return {
				context: { ...sent, messages: convertToLlm(await hooks.context(messages, signal)) },
				options: { reasoning, ...(sessionId ? { sessionId: sessionId() } : {}) },
			};
		},
	};
}

/** One request beside the conversation, with the key of the model. */
async function requestBeside(
	model: Model,
	{ credentials, stream }: RequestParts,
	context: Context,
	options: StreamOptions,
): Promise<AssistantMessage> {
	const { apiKey, headers, baseUrl = model.baseUrl } = await credentials(model);
	return await stream({ ...model, baseUrl }, context, {
		...options,
		...(headers ? { headers } : {}),
		...(apiKey === undefined ? {} : { apiKey }),
	}).result();
}
