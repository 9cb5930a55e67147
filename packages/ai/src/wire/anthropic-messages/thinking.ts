/** How an Anthropic model is asked to think: by a budget of tokens, or by an effort that it spends as it sees fit. */
import { envFlag } from "@tau/utils";

import type { Json } from "../../json.ts";
import type { Context, Model, StreamOptions, ThinkingLevelMap } from "../../types.ts";
import { outputTokens, thinkingBudget, wireLevel } from "../thinking.ts";

export interface Thinking {
	/** The model thinks, so what the API refuses beside it must stay out. */
	on: boolean;
	/** Tokens of thinking and answer together. */
	maxTokens: number;
	/** What the body says about it. */
	fields: Json;
}

/** The lowest effort of the API, and the smallest budget that it takes. */
const lowest: ThinkingLevelMap = { minimal: "low" };
const leastBudget = 1024;

export function thinkingOf(model: Model, options: StreamOptions): Thinking {
	const maxTokens = outputTokens(model, options);
	return model.compat?.forceAdaptiveThinking
		? adaptive(model, options, maxTokens)
		: budgeted(model, options, maxTokens);
}

/** The beta of thoughts between calls. */
export const interleavedThinking = "interleaved-thinking-2025-05-14";

/** Thoughts between calls are a beta where thinking has a budget, and the way of the models that have an effort. */
export function wantsInterleaving(model: Model, context: Context, options: StreamOptions): boolean {
	if (model.compat?.forceAdaptiveThinking || !isInterleaved()) return false;
	return (context.tools?.length ?? 0) > 0 && thinkingOf(model, options).on;
}

function isInterleaved(): boolean {
	return !envFlag("TAU_NO_INTERLEAVED_THINKING");
}

/** The API refuses to force a tool upon a model that thinks. */
export function isForced({ toolChoice }: StreamOptions): boolean {
	return toolChoice === "required" || typeof toolChoice === "object";
}

function adaptive(model: Model, options: StreamOptions, maxTokens: number): Thinking {
	const map = { ...lowest, ...model.thinkingLevelMap };
	const level = options.reasoning ?? "off";
	const canStop = map.off !== null;
	const off = level === "off" || (isForced(options) && canStop);
	if (!model.reasoning || off) {
		// Some think unless they are told not to, and some cannot be told.
		const said = model.reasoning && canStop && options.reasoning !== undefined;
		return { on: false, maxTokens, fields: said ? { thinking: { type: "disabled" } } : {} };
	}
	const effort = wireLevel({ ...model, thinkingLevelMap: map }, level);
	return {
		on: true,
		maxTokens,
		fields: {
			// The newest models hide their thoughts unless they are asked for.
			thinking: { type: "adaptive", display: "summarized" },
			...(effort === undefined ? {} : { output_config: { effort } }),
		},
	};
}

function budgeted(model: Model, options: StreamOptions, asked: number): Thinking {
	const off: Thinking = { on: false, maxTokens: asked, fields: {} };
	if (isForced(options)) return off;
	// The old mode thinks once, before the answer, so that the thinking comes on top.
	const wanted = thinkingBudget(model, options.reasoning, options, Number.POSITIVE_INFINITY) ?? 0;
	const maxTokens = isInterleaved() ? asked : Math.min(asked + wanted, model.maxTokens);
	const budget = thinkingBudget(model, options.reasoning, options, maxTokens);
	if (budget === undefined) return off;
	const thinking = { type: "enabled", budget_tokens: Math.max(budget, leastBudget) };
	return { on: true, maxTokens, fields: { thinking } };
}
