/** The OpenAI Chat Completions protocol. */
import { sessionHeaders } from "../cache.ts";
import type { Codec } from "../codec.ts";
import { CompletionsDecoder } from "./decode.ts";
import { encode } from "./encode.ts";

export const openaiCompletions: Codec = {
	api: "openai-completions",
	framing: "sse",
	auth: "bearer",
	path: () => "/chat/completions",
	headers: (model, _context, options) => sessionHeaders(model, options),
	encode,
	decoder: (builder) => new CompletionsDecoder(builder),
};
