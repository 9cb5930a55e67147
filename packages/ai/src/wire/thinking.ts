/** How hard a model is to think: a level of ours as the word or the budget of tokens that its protocol takes. */
import { thinkingLevels, type Model, type StreamOptions, type ThinkingLevel } from "../types.ts";

type Thinking = Exclude<ThinkingLevel, "off">;

const ladder = thinkingLevels.filter((level): level is Thinking => level !== "off");

/** Tokens to think with at each level, where nobody says otherwise. */
const defaultBudgets: Readonly<Record<Thinking, number>> = {
	minimal: 1024,
	low: 2048,
	medium: 8192,
	high: 16_384,
	xhigh: 32_768,
};

/** The least that is worth thinking with, and the least that an answer needs besides: what Anthropic asks for. */
const leastTokens = 1024;

/**
 * The word for a level in the model's protocol. A level that the model does not have becomes the nearest lower one
 * that it has, else the nearest higher one. Without a level, or for a model that does not reason, there is only the
 * word for `off`, if its map names one.
 */
export function wireLevel(model: Model, level: ThinkingLevel | undefined): string | undefined {
	if (!model.reasoning || level === undefined || level === "off")
		return model.thinkingLevelMap?.off ?? undefined;
	return nearest(level, (candidate) => word(model, candidate));
}

/** Tokens for thinking and answer together: what is asked for, as far as the model goes. */
export function outputTokens(model: Model, { maxTokens = model.maxTokens }: StreamOptions): number {
	return Math.min(maxTokens, model.maxTokens);
}

/**
 * Tokens to think with at a level, for protocols that count them. `maxTokens` holds thinking and answer together, and
 * the answer keeps its room; where that leaves too little to think with, there is no budget.
 */
export function thinkingBudget(
	model: Model,
	level: ThinkingLevel | undefined,
	options: Pick<StreamOptions, "thinkingBudgets">,
	maxTokens: number,
): number | undefined {
	if (!model.reasoning || level === undefined || level === "off") return undefined;
	const wanted = nearest(level, (candidate) =>
		model.thinkingLevelMap?.[candidate] === null
			? undefined
			: (options.thinkingBudgets?.[candidate] ?? defaultBudgets[candidate]),
	);
	if (wanted === undefined || wanted <= 0) return undefined;
	const budget = Math.min(wanted, maxTokens - leastTokens);
	return budget >= Math.min(wanted, leastTokens) ? budget : undefined;
}

function nearest<T>(level: Thinking, look: (candidate: Thinking) => T | undefined): T | undefined {
	const at = ladder.indexOf(level);
	for (const candidate of [...ladder.slice(0, at + 1).toReversed(), ...ladder.slice(at + 1)]) {
		const found = look(candidate);
		if (found !== undefined) return found;
	}
	return undefined;
}

/** Models have the levels up to `high` unless their map denies it; what is above, only if their map names it. */
function word(model: Model, level: Thinking): string | undefined {
	const map = model.thinkingLevelMap ?? {};
	if (level === "xhigh") return map.xhigh ?? map.max ?? undefined;
	return map[level] === undefined ? level : (map[level] ?? undefined);
}
