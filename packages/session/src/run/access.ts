/** What requests of a session are sent with: the key of the moment, and what behaviors make of the request. */
import type { Agent } from "@tau/agent";
import {
	stream,
	type AssistantMessage,
	type Context,
	type Model,
	type StreamFunction,
	type StreamOptions,
} from "@tau/ai";

import type { RunHooks } from "./run-hooks.ts";

export interface Access {
	apiKey?: string;
	headers?: Record<string, string>;
	/** Where the request goes, where the account decides that. */
	baseUrl?: string;
}

/** The loop asks for the key right before it streams: what else belongs to the key goes along. */
export function withAccess(
	credentials: (model: Model) => Access | Promise<Access>,
	hooks: RunHooks,
	sessionId?: () => string,
): Pick<ConstructorParameters<typeof Agent>[0], "getApiKey" | "stream"> {
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
		stream: (model, context, options) => hooks.wrapStream(ask)(model, context, options),
	};
}

/** One request beside the conversation, with the key of the model. */
export async function requestBeside(
	model: Model,
	credentials: (model: Model) => Access | Promise<Access>,
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
