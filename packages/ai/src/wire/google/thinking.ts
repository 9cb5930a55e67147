/** How hard a Google model thinks: a named level, or a budget of tokens, as the model's data says. */
import type { Json } from "../../json.ts";
import { thinkingLevels, type Model, type StreamOptions, type ThinkingLevel } from "../../types.ts";
import { thinkingBudget, wireLevel } from "../thinking.ts";

/** Budgets that all models with budgets accept: some think with 24,576 tokens at most. */
const budgets: Readonly<Partial<Record<ThinkingLevel, number>>> = {
	minimal: 1024,
	low: 2048,
	medium: 8192,
	high: 24_576,
	xhigh: 24_576,
	max: 24_576,
};

/** Models with named levels are of the generation that also signs its calls and accepts images in results. */
export function thinksInLevels(model: Model): boolean {
	return Object.values(model.thinkingLevelMap ?? {}).some((word) => word !== null && !isCount(word));
}

export function encodeThinking(model: Model, options: StreamOptions, maxTokens: number): Json | undefined {
	if (!model.reasoning) return undefined;
	const isOff = options.reasoning === undefined || options.reasoning === "off";
	if (isOff) return encodeOff(model);
	if (thinksInLevels(model)) {
		const level = wireLevel(model, options.reasoning);
		return { includeThoughts: true, ...(level === undefined ? {} : { thinkingLevel: level.toUpperCase() }) };
	}
	const thinkingBudgets = { ...budgets, ...countsOf(model), ...options.thinkingBudgets };
	const budget = thinkingBudget(model, options.reasoning, { thinkingBudgets }, maxTokens);
	return { includeThoughts: true, ...(budget === undefined ? {} : { thinkingBudget: budget }) };
}

/** A model that cannot stop thinking gets its minimum; if nothing is known, it decides by itself. */
function encodeOff(model: Model): Json | undefined {
	const off = wireLevel(model, "off");
	if (off !== undefined && isCount(off)) return { thinkingBudget: Number(off) };
	const level = off ?? (thinksInLevels(model) ? wireLevel(model, "minimal") : undefined);
	return level === undefined ? undefined : { thinkingLevel: level.toUpperCase() };
}

function countsOf(model: Model): Partial<Record<ThinkingLevel, number>> {
	return Object.fromEntries(
		thinkingLevels.flatMap((level) => {
			const word = model.thinkingLevelMap?.[level];
			return word && isCount(word) ? [[level, Number(word)]] : [];
		}),
	);
}

function isCount(word: string): boolean {
	return /^\d+$/.test(word);
}
