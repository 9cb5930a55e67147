/** How an Anthropic model is asked to think: by a budget of tokens, or by an effort that it applies itself. */
import { envFlag } from "@tau/utils/portable";

import type { Json } from "../../json.ts";
import type { Context, Model, StreamOptions, ThinkingLevelMap } from "../../types.ts";
import { outputTokens, thinkingBudget, wireLevel } from "../thinking.ts";

export interface Thinking {
	/** True if the model thinks, so that fields which the API refuses beside thinking are omitted. */
	on: boolean;
	/** Tokens of thinking and answer together. */
	maxTokens: number;
	/** The fields of the body. */
	fields: Json;
}

/** The lowest effort of the API, and its smallest budget. */
const lowest: ThinkingLevelMap = { minimal: "low" };
const leastBudget = 1024;

export function thinkingOf(model: Model, options: StreamOptions): Thinking {
	const maxTokens = outputTokens(model, options);
	return model.compat?.forceAdaptiveThinking
		? adaptive(model, options, maxTokens)
		: budgeted(model, options, maxTokens);
}

/** The beta of interleaved thinking. */
export const interleavedThinking = "interleaved-thinking-2025-05-14";

/** Interleaved thinking is a beta for models with a budget, and the default of models with an effort. */
export function wantsInterleaving(model: Model, context: Context, options: StreamOptions): boolean {
	if (model.compat?.forceAdaptiveThinking || (context.tools?.length ?? 0) === 0) return false;
	return thinkingOf(model, options).on && isInterleaved();
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
		// Some models think unless it is disabled, and some cannot be stopped.
		const disables = model.reasoning && canStop && options.reasoning !== undefined;
		return { on: false, maxTokens, fields: disables ? { thinking: { type: "disabled" } } : {} };
	}
	const effort = wireLevel({ ...model, thinkingLevelMap: map }, level);
	return {
		on: true,
		maxTokens,
		fields: {
			// The newest models hide their thinking unless it is requested.
			thinking: { type: "adaptive", display: "summarized" },
			...(effort === undefined ? {} : { output_config: { effort } }),
		},
	};
}

function budgeted(model: Model, options: StreamOptions, answerTokens: number): Thinking {
	const off: Thinking = { on: false, maxTokens: answerTokens, fields: {} };
	if (isForced(options)) return off;
	// The old mode thinks once, before the answer, so the thinking budget is added.
	const requested = thinkingBudget(model, options.reasoning, options, Number.POSITIVE_INFINITY);
	if (requested === undefined) return off;
	const maxTokens = isInterleaved() ? answerTokens : Math.min(answerTokens + requested, model.maxTokens);
	const budget = thinkingBudget(model, options.reasoning, options, maxTokens);
	if (budget === undefined) return off;
	const thinking = { type: "enabled", budget_tokens: Math.max(budget, leastBudget) };
	return { on: true, maxTokens, fields: { thinking } };
}
