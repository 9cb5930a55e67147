/** The Anthropic Messages protocol. */
import type { Codec } from "../codec.ts";
import { AnthropicDecoder } from "./decode.ts";
import { encode } from "./encode.ts";

export const anthropicMessages: Codec = {
	api: "anthropic-messages",
	path: "/v1/messages",
	headers: { "anthropic-version": "2023-06-01" },
	keyHeader: "x-api-key",
	encode,
	decoder: (draft) => new AnthropicDecoder(draft),
};
