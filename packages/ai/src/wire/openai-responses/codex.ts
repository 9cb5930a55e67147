/** The Responses protocol of ChatGPT's Codex service, for users who sign in with a subscription. */
import { codexAccount } from "../../auth/codex-account.ts";
import { object, parseObject, string, type Json } from "../../json.ts";
import type { Context, Model, StreamOptions } from "../../types.ts";
import type { Codec, ServerEvent, SocketEncoder } from "../codec.ts";
import { Chain } from "./chain.ts";
import { compactBody, compactPath } from "./compact.ts";
import { ResponsesDecoder } from "./decode.ts";
import defaultInstructions from "./default-instructions.md" with { type: "text" };
import { sharedBody } from "./encode.ts";
import { encodeTurns, itemsOf } from "./input.ts";

const service = "https://chatgpt.com/backend-api";

export const openaiCodexResponses: Codec = {
	api: "openai-codex-responses",
	framing: "sse",
	auth: "bearer",
	baseUrl: (model) => model.baseUrl || service,
	path: (model, { compaction }) =>
		`${/\/codex\/*$/.test(model.baseUrl) ? "" : "/codex"}/responses${compaction ? compactPath : ""}`,
	headers,
	encode,
	decoder: (builder) => new ResponsesDecoder(builder),
	socket: {
		headers: (_model, _context, options) => ({
			"openai-beta": "responses_websockets=2026-02-06",
			...identity(options),
		}),
		encoder: socketEncoder,
		isRestart,
	},
};

function headers(_model: Model, _context: Context, options: StreamOptions): Record<string, string> {
	return {
		accept: "text/event-stream",
		"openai-beta": "responses=experimental",
		...identity(options),
	};
}

function identity({ apiKey, sessionId }: StreamOptions): Record<string, string> {
	const account = apiKey ? codexAccount(apiKey) : "";
	return {
		originator: "tau",
		...(account ? { "chatgpt-account-id": account } : {}),
		...(sessionId ? { session_id: sessionId } : {}),
	};
}

/** The service refuses to store, to answer without streaming, and to accept a token limit or a temperature. */
function encode(model: Model, context: Context, options: StreamOptions): Json {
	const instructions = context.systemPrompt || defaultInstructions.trim();
	if (options.compaction) return { ...compactBody(model, context, options), instructions };
	return {
		tool_choice: "auto",
		parallel_tool_calls: true,
		...sharedBody(model, context, options),
		store: false,
		instructions,
		input: itemsOf(encodeTurns(model, context.messages)),
		...model.compat?.extraBody,
	};
}

/** The body of a request as a message, which is streamed in any case. The server remembers only its last answer. */
function socketEncoder(): SocketEncoder {
	const chain = new Chain(1);
	return (model, context, options) => {
		const { stream: _stream, ...body } = encode(model, context, options);
		const turns = encodeTurns(model, context.messages);
		return { type: "response.create", ...body, ...chain.follow(model, turns, options.apiKey ?? "") };
	};
}

/** The server does not know the answer that the message continues, or the websocket is an hour old. */
function isRestart({ data }: ServerEvent): boolean {
	if (!/previous_response_not_found|websocket_connection_limit_reached/.test(data)) return false;
	const event = parseObject(data);
	const error = object(event?.error ?? object(event?.response).error);
	return ["previous_response_not_found", "websocket_connection_limit_reached"].includes(string(error.code));
}
