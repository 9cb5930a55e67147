/** The Anthropic Messages protocol. */
import type { Context, Model, StreamOptions } from "../../types.ts";
import { sessionHeaders } from "../cache.ts";
import type { Codec } from "../codec.ts";
import { AnthropicDecoder } from "./decode.ts";
import { encode } from "./encode.ts";
import { interleavedThinking, wantsInterleaving } from "./thinking.ts";

export const anthropicMessages: Codec = {
	api: "anthropic-messages",
	framing: "sse",
	auth: "x-api-key",
	path: () => "/v1/messages",
	headers,
	encode,
	decoder: (builder) => new AnthropicDecoder(builder),
};

/** The older beta that streams the input of tools while it is written. */
const fineGrainedTools = "fine-grained-tool-streaming-2025-05-14";

function headers(model: Model, context: Context, options: StreamOptions): Record<string, string> {
	const eager = model.compat?.supportsEagerToolInputStreaming !== false;
	const betas = [
		...(wantsInterleaving(model, context, options) ? [interleavedThinking] : []),
		...(eager || !context.tools?.length ? [] : [fineGrainedTools]),
	];
	return {
		"anthropic-version": "2023-06-01",
		...(betas.length > 0 ? { "anthropic-beta": betas.join(",") } : {}),
		...sessionHeaders(model, options),
	};
}
