/** How an agent in a page reaches its model: at the provider, with a key that the user gave, or through a gateway that holds the keys. */
import type { AgentOptions } from "@tau/agent";
import { failure, MessageBuilder, streamByCodec, type Model, type StreamFunction } from "@tau/ai/portable";

import type { KeyStore } from "./storage.ts";

/** What an agent needs of it. */
export type AgentTransport = Required<Pick<AgentOptions, "stream" | "getApiKey">>;

/** Protocols whose providers are asked with a key alone. The others need files, programs or logins of a machine. */
const keyedApis: ReadonlySet<string> = new Set([
	"anthropic-messages",
	"google-generative-ai",
	"ollama-chat",
	"openai-completions",
	"openai-responses",
]);

/** Asks providers from the page itself, with the keys that its user has put into the store, and no other. */
export class ProviderTransport implements AgentTransport {
	readonly #keys: KeyStore;

	constructor({ keys }: { keys: KeyStore }) {
		this.#keys = keys;
	}

	readonly getApiKey = (provider: string): Promise<string | undefined> => this.#keys.get(provider);

	readonly stream: StreamFunction = (model, context, options = {}) => {
		if (!keyedApis.has(model.api))
			return refusal(model, `A page cannot ask ${model.provider} by ${model.api}: use a gateway.`);
		if (!options.apiKey)
			return refusal(model, `There is no key for ${model.provider} in this browser: give one first.`);
		return streamByCodec(model, context, { ...options, headers: { ...ofPages(model), ...options.headers } });
	};
}

/** Anthropic answers pages only if they say that they know what a key in a page means. */
function ofPages({ api }: Model): Record<string, string> {
	return api === "anthropic-messages" ? { "anthropic-dangerous-direct-browser-access": "true" } : {};
}

function refusal(model: Model, message: string): ReturnType<StreamFunction> {
	const builder = new MessageBuilder(model, () => {});
	builder.fail(failure("auth", message));
	return builder.stream;
}

export interface AppTransportOptions {
	/** The address of the gateway, without `/v1`. */
	readonly url: string;
	/** Asked before each request: the token of the user, which the gateway checks. */
	readonly token: () => string | Promise<string>;
}

/** Asks through a Tau gateway (docs/gateway-protocol.md): the page has no key of a provider. */
export class AppTransport implements AgentTransport {
	readonly #options: AppTransportOptions;
	/** The same object for a model each time: what was encoded for it is used again. */
	readonly #behind = new WeakMap<Model, Model>();

	constructor(options: AppTransportOptions) {
		this.#options = options;
	}

	readonly getApiKey = async (): Promise<string> => await this.#options.token();

	readonly stream: StreamFunction = (model, context, options) => {
		const known = this.#behind.get(model);
		const behind = known ?? { ...model, api: "tau-gateway", baseUrl: this.#options.url };
		this.#behind.set(model, behind);
		return streamByCodec(behind, context, options);
	};

	/** A model of the gateway by its name, where the page needs to know no more of it. */
	model(provider: string, id: string, more: Partial<Model> = {}): Model {
		return {
			id,
			name: id,
			api: "tau-gateway",
			provider,
			baseUrl: this.#options.url,
			reasoning: false,
			input: ["text", "image"],
			cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
			contextWindow: 0,
			maxTokens: 0,
			...more,
		};
	}
}
