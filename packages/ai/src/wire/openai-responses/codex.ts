/** The Responses protocol of ChatGPT's Codex service, for users who sign in with a subscription. */
import { codexAccount } from "../../auth/codex-account.ts";
import type { Json } from "../../json.ts";
import type { Context, Model, StreamOptions } from "../../types.ts";
import type { Codec } from "../codec.ts";
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
};

function headers(
	_model: Model,
	_context: Context,
	{ apiKey, sessionId }: StreamOptions,
): Record<string, string> {
	const account = apiKey ? codexAccount(apiKey) : "";
	return {
		accept: "text/event-stream",
		"openai-beta": "responses=experimental",
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
