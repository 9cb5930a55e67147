/** The request that has the server replace a conversation by items of its own: `/responses/compact`. */
import type { Json } from "../../json.ts";
import type { Context, Model, StreamOptions } from "../../types.ts";
import { cacheRetention } from "../cache.ts";
import { encodeTurns, itemsOf } from "./input.ts";
import { limits } from "./limits.ts";

/** The address behind that of the model's answers. */
export const compactPath = "/compact";

/** The server takes neither tools nor limits here. */
export function compactBody(
	model: Model,
	{ systemPrompt, messages }: Context,
	options: StreamOptions,
	modelName = model.id,
): Json {
	const { sessionId } = options;
	return {
		model: modelName,
		input: itemsOf(encodeTurns(model, messages)),
		...(systemPrompt ? { instructions: systemPrompt } : {}),
		...(sessionId && cacheRetention(model, options) !== "none"
			? { prompt_cache_key: sessionId.slice(0, limits.cacheKeyChars) }
			: {}),
	};
}
