/** What requests of a session are sent with: the key of the moment, and what behaviors make of the request. */
import type { Agent } from "@tau/agent";
import { stream, type Model, type StreamFunction } from "@tau/ai";

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
): Pick<ConstructorParameters<typeof Agent>[0], "getApiKey" | "stream"> {
	let access: Access = {};
	const ask: StreamFunction = (model, context, options) =>
		stream({ ...model, baseUrl: access.baseUrl ?? model.baseUrl }, context, {
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
		stream: (model, context, options) => hooks.asked(ask)(model, context, options),
	};
}
