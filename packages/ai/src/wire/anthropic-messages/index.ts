/** The Anthropic Messages protocol. */
import type { Codec } from "../codec.ts";
import { AnthropicDecoder } from "./decode.ts";
import { encode } from "./encode.ts";
import { headers } from "./headers.ts";

export const anthropicMessages: Codec = {
	api: "anthropic-messages",
	framing: "sse",
	auth: "x-api-key",
	path: () => "/v1/messages",
	headers,
	encode,
	decoder: (draft) => new AnthropicDecoder(draft),
};
