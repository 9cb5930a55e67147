/** The ways in which a run reaches its model: from here, or through a gateway that holds the keys. */
import { stream as directStream } from "@tau/ai";

import { agentLoop } from "./loop.ts";
import type { AgentContext, AgentEvent, AgentLoopConfig, AgentMessage } from "./types.ts";

export interface AgentTransport {
	/** Tools run on this side in every case; only the model is elsewhere. */
	run(
		prompts: readonly AgentMessage[],
		context: AgentContext,
		config: AgentLoopConfig,
		signal: AbortSignal,
	): AsyncIterable<AgentEvent>;
}

export class DirectTransport implements AgentTransport {
	run(
		prompts: readonly AgentMessage[],
		context: AgentContext,
		config: AgentLoopConfig,
		signal: AbortSignal,
	): AsyncIterable<AgentEvent> {
		return agentLoop(prompts, context, config, signal);
	}
}

export interface ProxyOptions {
	/** Where the gateway is; the protocol is in docs/gateway-protocol.md. */
	url: string;
	/** Asked before each request. */
	token(): Promise<string | undefined> | string | undefined;
}

/** The gateway is one more protocol: the model keeps its name and gets another address. */
export class ProxyTransport implements AgentTransport {
	readonly #options: ProxyOptions;

	constructor(options: ProxyOptions) {
		this.#options = options;
	}

	run(
		prompts: readonly AgentMessage[],
		context: AgentContext,
		config: AgentLoopConfig,
		signal: AbortSignal,
	): AsyncIterable<AgentEvent> {
		const { url: baseUrl, token } = this.#options;
		const proxied: AgentLoopConfig = {
			...config,
			getApiKey: token,
			stream: (model, request, options) => {
				// Headers and compat are for the provider, whom only the gateway meets.
				const { headers: _, compat: __, ...named } = model;
				return directStream({ ...named, api: "tau-gateway", baseUrl }, request, options);
			},
		};
		return agentLoop(prompts, context, proxied, signal);
	}
}
