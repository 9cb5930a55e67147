/** How a model behind Bedrock is asked to think: in the fields of its own vendor, which Bedrock passes on. */
import type { Context, Model, StreamOptions } from "../../types.ts";
import {
	interleavedThinking,
	thinkingOf as anthropicThinkingOf,
	wantsInterleaving,
	type Thinking,
} from "../anthropic-messages/thinking.ts";
import { outputTokens, wireLevel } from "../thinking.ts";

/** Anthropic's fields, unless the model's data says that it takes an effort as OpenAI's models do, or nothing. */
export function thinkingOf(model: Model, context: Context, options: StreamOptions): Thinking {
	const { thinkingFormat, supportsReasoningEffort } = model.compat ?? {};
	const maxTokens = outputTokens(model, options);
	if (supportsReasoningEffort === false) return { on: false, maxTokens, fields: {} };
	if (thinkingFormat === "openai") {
		const effort = wireLevel(model, options.reasoning);
		return { on: false, maxTokens, fields: effort === undefined ? {} : { reasoning_effort: effort } };
	}
	const thinking = anthropicThinkingOf(model, options);
	if (!wantsInterleaving(model, context, options)) return thinking;
	return { ...thinking, fields: { ...thinking.fields, anthropic_beta: [interleavedThinking] } };
}
