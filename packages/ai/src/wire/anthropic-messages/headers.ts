/** The headers of an Anthropic request: the version, and the betas that its body relies on. */
import type { Context, Model, StreamOptions } from "../../types.ts";
import { sessionHeaders } from "../cache.ts";
import { interleavedThinking, wantsInterleaving } from "./thinking.ts";

/** The older way to get the input of tools while it is written. */
const fineGrainedTools = "fine-grained-tool-streaming-2025-05-14";

export function headers(model: Model, context: Context, options: StreamOptions): Record<string, string> {
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
