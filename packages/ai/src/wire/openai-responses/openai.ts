/** The Responses protocol of OpenAI and of compatible servers. */
import { envFlag } from "@tau/utils/portable";

import type { Json } from "../../json.ts";
import type { Context, Model, StreamOptions } from "../../types.ts";
import { cacheRetention, sessionHeaders } from "../cache.ts";
import type { Codec } from "../codec.ts";
import { Chain } from "./chain.ts";
import { compactBody, compactPath } from "./compact.ts";
import { ResponsesDecoder } from "./decode.ts";
import { encodeSystem, platformBody } from "./encode.ts";
import { encodeTurns, itemsOf } from "./input.ts";

const chain = new Chain();

export const openaiResponses: Codec = {
	api: "openai-responses",
	framing: "sse",
	auth: "bearer",
	path: (_model, { compaction }) => (compaction ? `/responses${compactPath}` : "/responses"),
	headers,
	encode,
	decoder: (builder) => new ResponsesDecoder(builder),
};

/** The vendor's own session header is always sent. */
function headers(model: Model, _context: Context, options: StreamOptions): Record<string, string> {
	const { sessionId } = options;
	if (!sessionId || cacheRetention(model, options) === "none") return {};
	const isTaken = model.compat?.sendSessionIdHeader !== false;
	return { ...(isTaken ? { session_id: sessionId } : {}), ...sessionHeaders(model, options) };
}

function encode(model: Model, context: Context, options: StreamOptions): Json {
	if (options.compaction) return compactBody(model, context, options);
	const body = platformBody(model, context, options);
	const turns = encodeTurns(model, context.messages);
	const { extraBody } = model.compat ?? {};
	if (envFlag("TAU_OPENAI_STATEFUL")) {
		// Unlike a message, instructions are not stored: the current ones apply.
		const instructions = context.systemPrompt ? { instructions: context.systemPrompt } : {};
		const input = chain.follow(model, turns, options.apiKey ?? "");
		return { ...body, store: true, ...instructions, ...input, ...extraBody };
	}
	return {
		...body,
		store: false,
		input: [...encodeSystem(model, context), ...itemsOf(turns)],
		...extraBody,
	};
}
