/** How a model behind Bedrock is asked to think: in the fields of its own vendor, which Bedrock passes on. */
import type { Context, Model, StreamOptions } from "../../types.ts";
import {
	thinkingOf as anthropicThinkingOf,
	wantsInterleaving,
	type Thinking,
} from "../anthropic-messages/thinking.ts";
import { wireLevel } from "../thinking.ts";

const interleavedThinking = "interleaved-thinking-2025-05-14";

/** Anthropic's fields, unless the model's data says that it takes an effort as OpenAI's models do, or nothing. */
export function thinkingOf(model: Model, context: Context, options: StreamOptions): Thinking {
	const { thinkingFormat, supportsReasoningEffort } = model.compat ?? {};
	const maxTokens = Math.min(options.maxTokens ?? model.maxTokens, model.maxTokens);
	if (supportsReasoningEffort === false) return { on: false, maxTokens, fields: {} };
	if (thinkingFormat === "openai") {
		const effort = wireLevel(model, options.reasoning);
		return { on: false, maxTokens, fields: effort === undefined ? {} : { reasoning_effort: effort } };
	}
	const thinking = anthropicThinkingOf(model, options);
	if (!wantsInterleaving(model, context, options)) return thinking;
	return { ...thinking, fields: { ...thinking.fields, anthropic_beta: [interleavedThinking] } };
}
