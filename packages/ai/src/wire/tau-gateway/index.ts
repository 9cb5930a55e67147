/** The protocol of a Tau gateway, which calls a model for us and holds its key (docs/gateway-protocol.md). */
import { isObject, type Json } from "../../json.ts";
import type { Context, Model, StreamOptions } from "../../types.ts";
import type { Codec } from "../codec.ts";
import { GatewayDecoder } from "./decode.ts";

export const tauGateway: Codec = {
	api: "tau-gateway",
	framing: "sse",
	auth: "bearer",
	path: () => "/v1/stream",
	headers: () => ({ accept: "text/event-stream" }),
	encode,
	decoder: (builder) => new GatewayDecoder(builder),
};

/** Encodes a context for a Tau gateway: our own types, without the fields that a server cannot use. */
function encode(model: Model, context: Context, options: StreamOptions): Json {
	const { reasoning, maxTokens, temperature, toolChoice, cacheRetention, serviceTier, sessionId } = options;
	const requested = { reasoning, maxTokens, temperature, toolChoice, cacheRetention, serviceTier, sessionId };
	return {
		// The gateway knows address, prices and key of the model; the name is enough.
		model: { provider: model.provider, id: model.id },
		context: {
			...(context.systemPrompt === undefined ? {} : { systemPrompt: context.systemPrompt }),
			messages: context.messages.map(withoutDetails),
			tools: (context.tools ?? []).map(({ name, description, parameters }) => ({
				name,
				description,
				parameters,
			})),
		},
		options: Object.fromEntries(Object.entries(requested).filter(([, value]) => value !== undefined)),
	};
}

/** Details are for views on this side; they may be large and private. */
function withoutDetails(message: Context["messages"][number]): object {
	if (message.role !== "toolResult" || !isObject(message)) return message;
	const { details: _, ...rest } = message;
	return rest;
}
